// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/machine_facts.h"

#include "core/session/doctor.h"

namespace mantissa::ui::shell {

MachineFacts::MachineFacts(QObject* parent) : QThread(parent) { setObjectName(QStringLiteral("machine facts")); }

MachineFacts::~MachineFacts() { wait(); }

void MachineFacts::run() {
  const session::Environment machine = session::environment();
  const QString device = machine.gpu.empty() ? QStringLiteral("CPU") : QString::fromStdString(machine.gpu);
  const QString cores = machine.cores == 1 ? tr("1 core") : tr("%1 cores").arg(machine.cores);
  const QString capability = QString::fromStdString(machine.cpu_capability);
  Q_EMIT found(QStringLiteral("%1 · %2 · %3").arg(device, capability, cores),
               tr("%1\nLibTorch %2\n%3")
                   .arg(QString::fromStdString(machine.cpu_model), QString::fromStdString(machine.torch_version),
                        QString::fromStdString(machine.operating_system)));
}

}  // namespace mantissa::ui::shell
