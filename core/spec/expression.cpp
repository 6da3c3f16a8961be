// SPDX-License-Identifier: Apache-2.0
#include "core/spec/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"

namespace mantissa::spec {
namespace {

enum class TokenKind { End, Name, Number, Text, Operator, Word };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view source;  // as it stands
  std::size_t begin = 0;
  std::string text;  // of a name without its backquotes, of a string without quotes and escapes
  double number = 0.0;
};

constexpr std::string_view kWords[] = {"and", "or", "not", "is", "missing", "non_finite", "inf", "nan"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void refuse(std::size_t place, std::string_view found, const std::string& expected) {
  ErrorFacts facts;
  facts.problem = "an expression that cannot be read";
  facts.line = 1;
  facts.column = static_cast<int>(place) + 1;
  facts.found = found.empty() ? "the end" : "'" + std::string(found) + "'";
  facts.expected = expected;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

/// One token after another.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token next() {
    while (place_ < text_.size() && is_space(text_[place_])) ++place_;
    Token token;
    token.begin = place_;
    if (place_ == text_.size()) return token;
    const char first = text_[place_];
    if (first == '"' || first == '\'') {
      scan_quoted(token, first);
    } else if (first == '`') {
      scan_quoted_name(token);
    } else if (is_digit(first) || first == '-' || first == '+' || first == '.') {
      scan_number(token);
    } else if (begins_name(first)) {
      scan_name(token);
    } else {
      scan_operator(token);
    }
    token.source = text_.substr(token.begin, place_ - token.begin);
    return token;
  }

 private:
  void scan_quoted(Token& token, char quote) {
    token.kind = TokenKind::Text;
    for (++place_; place_ < text_.size() && text_[place_] != quote; ++place_) {
      if (text_[place_] != '\\') {
        token.text += text_[place_];
        continue;
      }
      ++place_;
      const char escaped = place_ < text_.size() ? text_[place_] : '\0';
      switch (escaped) {
        case '\\':
        case '"':
        case '\'':
          token.text += escaped;
          break;
        case 'n':
          token.text += '\n';
          break;
        case 't':
          token.text += '\t';
          break;
        default:
          refuse(place_ - 1, text_.substr(place_ - 1, 2),
                 R"(\\, \", \', \n or \t; a backslash itself is written twice)");
      }
    }
    if (place_ == text_.size()) refuse(place_, {}, std::string("the ") + quote + " that ends the string");
    ++place_;
  }

  void scan_quoted_name(Token& token) {
    token.kind = TokenKind::Name;
    const std::size_t end = text_.find('`', place_ + 1);
    if (end == std::string_view::npos) refuse(text_.size(), {}, "the ` that ends the name");
    token.text = text_.substr(place_ + 1, end - place_ - 1);
    if (token.text.empty()) refuse(place_, "``", "a name between the backquotes");
    place_ = end + 1;
  }

  void scan_number(Token& token) {
    token.kind = TokenKind::Number;
    const bool negative = text_[place_] == '-';
    const bool has_sign = negative || text_[place_] == '+';
    std::size_t begin = place_ + (has_sign ? 1 : 0);
    if (text_.substr(begin, 3) == "inf" && !continues_name(begin + 3)) {
      place_ = begin + 3;
      token.number = std::numeric_limits<double>::infinity();
    } else {
      const char* const from = text_.data() + begin;
      const char* const end = text_.data() + text_.size();
      // from_chars would take a sign of its own, "inf" and "nan".
      if (from == end || !(is_digit(*from) || *from == '.')) {
        refuse(token.begin, text_.substr(token.begin, 1), "a number after the sign");
      }
      const auto [stop, error] = std::from_chars(from, end, token.number);
      const auto length = static_cast<std::size_t>(stop - text_.data()) - token.begin;
      if (error == std::errc::result_out_of_range) {
        refuse(token.begin, text_.substr(token.begin, length), "a number within the range of FP64");
      }
      if (error != std::errc()) refuse(token.begin, text_.substr(token.begin, 1), "a number");
      place_ = token.begin + length;
      if (continues_name(place_)) {
        while (continues_name(place_)) ++place_;
        refuse(token.begin, text_.substr(token.begin, place_ - token.begin),
               "a number, or a name in backquotes where a name begins with a digit");
      }
    }
    if (negative) token.number = -token.number;
  }

  void scan_name(Token& token) {
    while (continues_name(place_)) {
      if (text_[place_] == '[') {
        const std::size_t end = text_.find(']', place_);
        if (end == std::string_view::npos) refuse(text_.size(), {}, "the ] that ends the index");
        place_ = end;
      }
      ++place_;
    }
    token.text = text_.substr(token.begin, place_ - token.begin);
    if (token.text == "inf") {
      token.kind = TokenKind::Number;
      token.number = std::numeric_limits<double>::infinity();
      return;
    }
    const bool is_word = std::find(std::begin(kWords), std::end(kWords), token.text) != std::end(kWords);
    token.kind = is_word ? TokenKind::Word : TokenKind::Name;
  }

  void scan_operator(Token& token) {
    token.kind = TokenKind::Operator;
    static constexpr std::string_view kOperators[] = {"==", "!=", "<=", ">=", "<", ">", "(", ")"};
    for (const std::string_view one : kOperators) {
      if (text_.substr(place_, one.size()) != one) continue;
      place_ += one.size();
      return;
    }
    const std::string_view found = text_.substr(place_, 1);
    if (found == "=") refuse(place_, found, "== for a comparison");
    if (found == "&" || found == "|" || found == "!") refuse(place_, found, "and, or, not as words");
    refuse(place_, found, "a name, a number, a string, a comparison or a parenthesis");
  }

  bool continues_name(std::size_t place) const {
    if (place >= text_.size()) return false;
    const char c = text_[place];
    return begins_name(c) || is_digit(c) || c == '.' || c == '[';
  }

  std::string_view text_;
  std::size_t place_ = 0;
};

}  // namespace

/// A part of the expression; its depth is what the parser allows, however long the text is.
struct Expression::Node {
  enum class Kind {
    Or,  // of two or more parts
    And,
    Not,
    Equal,  // of two operands
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    IsMissing,  // of one operand
    IsNonFinite,
    Name,  // an operand, as are the next two
    Number,
    Text
  };

  Kind kind{};
  std::vector<Node> parts;
  std::size_t name = 0;  // its place in names()
  double number = 0.0;
  std::string text;
};

namespace {

using Node = Expression::Node;
using Kind = Node::Kind;

/// Recursive descent: or, and, not, comparison, operand.
class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names) : scanner_(text), names_(names) { advance(); }

  Node whole() {
    Node root = disjunction();
    if (token_.kind != TokenKind::End) refuse(token_.begin, token_.source, "and, or, or the end");
    return root;
  }

 private:
  void advance() { token_ = scanner_.next(); }
  bool is(TokenKind kind, std::string_view source) const { return token_.kind == kind && token_.source == source; }
  bool takes(TokenKind kind, std::string_view source) {
    if (!is(kind, source)) return false;
    advance();
    return true;
  }

  Node disjunction() {
    Node first = conjunction();
    if (!is(TokenKind::Word, "or")) return first;
    Node all = node_of(Kind::Or, std::move(first));
    while (takes(TokenKind::Word, "or")) all.parts.push_back(conjunction());
    return all;
  }

  Node conjunction() {
    Node first = negation();
    if (!is(TokenKind::Word, "and")) return first;
    Node all = node_of(Kind::And, std::move(first));
    while (takes(TokenKind::Word, "and")) all.parts.push_back(negation());
    return all;
  }

  Node negation() {
    const bool is_not = is(TokenKind::Word, "not");
    if (!is_not && !is(TokenKind::Operator, "(")) return comparison();
    if (++depth_ > Expression::kDeepest) {
      refuse(token_.begin, token_.source,
             "at most " + std::to_string(Expression::kDeepest) + " parentheses and nots within each other");
    }
    advance();
    Node node = is_not ? node_of(Kind::Not, negation()) : disjunction();
    --depth_;
    if (!is_not && !takes(TokenKind::Operator, ")")) refuse(token_.begin, token_.source, "and, or, or )");
    return node;
  }

  Node comparison() {
    Node left = operand();
    if (takes(TokenKind::Word, "is")) {
      if (takes(TokenKind::Word, "missing")) return node_of(Kind::IsMissing, std::move(left));
      if (takes(TokenKind::Word, "non_finite")) return node_of(Kind::IsNonFinite, std::move(left));
      refuse(token_.begin, token_.source, "missing or non_finite (its contrary: not x is missing)");
    }
    const std::optional<Kind> kind = comparison_kind();
    if (!kind) refuse(token_.begin, token_.source, "==, !=, <, <=, >, >=, is missing or is non_finite");
    advance();
    const std::size_t place = token_.begin;
    const std::string_view source = token_.source;
    Node right = operand();
    const auto literal = [](const Node& node) { return node.kind == Kind::Number || node.kind == Kind::Text; };
    if (literal(left) && literal(right) && left.kind != right.kind) {
      refuse(place, source,
             left.kind == Kind::Text ? "a string, as on the left side" : "a number, as on the left side");
    }
    Node node = node_of(*kind, std::move(left));
    node.parts.push_back(std::move(right));
    if (comparison_kind()) {
      refuse(token_.begin, token_.source, "and or or: comparisons do not chain, 0 < x < 1 is 0 < x and x < 1");
    }
    return node;
  }

  std::optional<Kind> comparison_kind() const {
    if (token_.kind != TokenKind::Operator) return std::nullopt;
    if (token_.source == "==") return Kind::Equal;
    if (token_.source == "!=") return Kind::NotEqual;
    if (token_.source == "<") return Kind::Less;
    if (token_.source == "<=") return Kind::LessEqual;
    if (token_.source == ">") return Kind::Greater;
    if (token_.source == ">=") return Kind::GreaterEqual;
    return std::nullopt;
  }

  Node operand() {
    Node node;
    switch (token_.kind) {
      case TokenKind::Name: {
        node.kind = Kind::Name;
        const auto [found, is_new] = places_.emplace(token_.text, names_.size());
        node.name = found->second;
        if (is_new) names_.push_back(token_.text);
        break;
      }
      case TokenKind::Number:
        node.kind = Kind::Number;
        node.number = token_.number;
        break;
      case TokenKind::Text:
        node.kind = Kind::Text;
        node.text = token_.text;
        break;
      case TokenKind::Word:
        refuse(token_.begin, token_.source,
               token_.source == "nan"
                   ? "is non_finite: nothing compares with a NaN"
                   : "a name, a number or a string; a name that is a word of the language in backquotes");
      case TokenKind::Operator:
      case TokenKind::End:
        refuse(token_.begin, token_.source, "a name, a number or a string");
    }
    advance();
    return node;
  }

  static Node node_of(Kind kind, Node part) {
    Node node;
    node.kind = kind;
    node.parts.push_back(std::move(part));
    return node;
  }

  Scanner scanner_;
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::size_t> places_;  // of names in names_
  Token token_;
  std::size_t depth_ = 0;
};

/// Looks at one row.
class Evaluation {
 public:
  Evaluation(const Expression& expression, const std::function<Expression::Value(std::size_t)>& value_of)
      : expression_(expression), value_of_(value_of) {}

  bool holds(const Node& node) const {
    const auto holds_too = [this](const Node& part) { return holds(part); };
    switch (node.kind) {
      case Kind::Or:
        return std::any_of(node.parts.begin(), node.parts.end(), holds_too);
      case Kind::And:
        return std::all_of(node.parts.begin(), node.parts.end(), holds_too);
      case Kind::Not:
        return !holds(node.parts.front());
      case Kind::IsMissing:
        return std::holds_alternative<std::monostate>(value(node.parts.front()));
      case Kind::IsNonFinite: {
        const Expression::Value found = value(node.parts.front());
        const double* const number = std::get_if<double>(&found);
        return number != nullptr && !std::isfinite(*number);
      }
      default:
        return compare(node.kind, node.parts[0], node.parts[1]);
    }
  }

 private:
  Expression::Value value(const Node& operand) const {
    if (operand.kind == Kind::Name) return value_of_(operand.name);
    if (operand.kind == Kind::Number) return operand.number;
    return std::string_view(operand.text);
  }

  bool compare(Kind kind, const Node& left, const Node& right) const {
    const Expression::Value a = value(left);
    const Expression::Value b = value(right);
    if (std::holds_alternative<std::monostate>(a) || std::holds_alternative<std::monostate>(b)) return false;
    if (a.index() != b.index()) refuse_mixed(left, right);
    if (const double* const number = std::get_if<double>(&a)) return compare_values(kind, *number, std::get<double>(b));
    return compare_values(kind, std::get<std::string_view>(a), std::get<std::string_view>(b));
  }

  template <typename T>
  static bool compare_values(Kind kind, const T& a, const T& b) {
    switch (kind) {
      case Kind::Equal:
        return a == b;
      case Kind::NotEqual:
        return a < b || a > b;  // not a != b, which holds for a NaN
      case Kind::Less:
        return a < b;
      case Kind::LessEqual:
        return a <= b;
      case Kind::Greater:
        return a > b;
      default:
        return a >= b;
    }
  }

  [[noreturn]] void refuse_mixed(const Node& left, const Node& right) const {
    const Node& name = left.kind == Kind::Name ? left : right;
    const Expression::Value found = value(name);
    const bool is_number = std::holds_alternative<double>(found);
    ErrorFacts facts;
    facts.problem = "a number is compared with a string";
    facts.subject = expression_.names()[name.name];
    facts.found = is_number ? "a number" : "'" + std::string(std::get<std::string_view>(found)) + "'";
    facts.expected = is_number ? "a string, as on the other side" : "a number, as on the other side";
    facts.remedy = "Compare the two with values of their own kind in " + expression_.text();
    throw Error(ErrorKind::InvalidSetting, std::move(facts));
  }

  const Expression& expression_;
  const std::function<Expression::Value(std::size_t)>& value_of_;
};

}  // namespace

Expression::Expression(std::string_view text) : text_(text) {
  if (text.size() > kLongest) {
    refuse(kLongest, text.substr(kLongest, 1), "at most " + std::to_string(kLongest) + " bytes");
  }
  root_ = std::make_unique<const Node>(Parser(text_, names_).whole());
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::holds(const std::function<Value(std::size_t)>& value_of) const {
  return Evaluation(*this, value_of).holds(*root_);
}

}  // namespace mantissa::spec
