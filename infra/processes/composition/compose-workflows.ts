import { channelRecovery } from '@tollgate/command-api/workflows/channel-recovery.ts'
import { channelNotice } from '@tollgate/command-api/workflows/channel-notice.ts'
import { erasure } from '@tollgate/command-api/workflows/erasure.ts'
import {
  type WorkflowManager,
  startWorkflowManager,
} from '@tollgate/command-api/workflows/manager/workflow-manager.ts'
import { workflowRows } from '@tollgate/command-api/workflows/manager/workflow-rows.ts'
import { workflowRoutes } from '@tollgate/command-api/workflows/manager/routes.ts'
import type { Notifier } from '@tollgate/command-api/notifications/notifier.ts'
import { redemptionWorkflows } from '@tollgate/command-api/workflows/redemption-credit.ts'
import { tokenAddressRecovery } from '@tollgate/command-api/workflows/token-address-recovery.ts'
import { tokenRecovery } from '@tollgate/command-api/workflows/token-recovery.ts'
import { submissionRecovery } from '@tollgate/command-api/workflows/submission-recovery.ts'
import { taskPayloads } from '@tollgate/command-api/tasks/payloads.ts'
import { taskRefund } from '@tollgate/command-api/workflows/task-refund.ts'
import { taskService } from '@tollgate/command-api/tasks/task-service.ts'
import { adjustmentNotice } from '@tollgate/command-api/workflows/adjustment-notice.ts'
import { owedTokens } from '@tollgate/command-api/users/first-token.ts'
import { firstTokenRecovery } from '@tollgate/command-api/workflows/first-token-recovery.ts'
import { invitationReward } from '@tollgate/command-api/workflows/invitation-reward.ts'
import { userRecovery } from '@tollgate/command-api/workflows/user-recovery.ts'
import { topUpCredit } from '@tollgate/command-api/workflows/top-up-credit.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { ComposedLedger } from './compose-ledger.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'

/** Work across streams and between rows and events, composed. */
export interface ComposedWorkflows {
  readonly routes: readonly ApiRoute[]
  readonly manager: Pick<WorkflowManager, 'stuckCount'>
  stop(): Promise<void>
}

/** How often sessions, visitors, signatures, codes and keys of requests past their time are removed. */
const SESSIONS_MS = 60_000

/** The parts of a process that workflows need. */
export interface WorkflowsParts {
  readonly engines: Engines
  readonly identity: Identity
  readonly ledger: ComposedLedger
  readonly shareWork: ShareWork
  readonly notifier: Notifier
}

export async function composeWorkflows(
  runtime: Runtime,
  {
    engines: { db, store },
    identity: {
      users,
      notes,
      addresses,
      sessions,
      visitors,
      usedSignatures,
      emailCodes,
      postedRequests,
      secrets,
      options,
    },
    ledger: { ledger, timelines },
    shareWork,
    notifier,
  }: WorkflowsParts,
): Promise<ComposedWorkflows> {
  const { clock, randomness, entropy, logger } = runtime
  const { tokens, channels } = secrets
  const table = workflowRows(db)
  const writer = { store, clock, randomness }
  const payloads = taskPayloads(db, clock)
  const tasks = taskService({ ...writer, payloads })
  const manager = await startWorkflowManager({
    store,
    clock,
    timelines,
    table,
    shareWork,
    kinds: [
      adjustmentNotice({ notifier, notes, options }),
      channelNotice({ notifier, users, channels }),
      invitationReward({ ledger }),
      topUpCredit(ledger),
      ...redemptionWorkflows({ store, secrets: secrets.redemptions, ledger }),
      ...erasure({ users, sessions, tokens, channels, tasks: payloads, notes, addresses }),
      taskRefund({ store, ledger }),
      submissionRecovery({ store, clock, payloads, tasks }),
      firstTokenRecovery({ users, owed: owedTokens(db), ledger, secrets: tokens, entropy }),
      tokenRecovery({ tokens, ledger }),
      tokenAddressRecovery({ addresses, ledger }),
      ...channelRecovery({ ...writer, secrets: channels }),
      ...userRecovery({ ...writer, users, ledger }),
    ],
    log: logger,
  })
  const cleaning = repeating(
    SESSIONS_MS,
    () =>
      Promise.all(
        [sessions, visitors, usedSignatures, emailCodes, postedRequests].map((rows) =>
          rows.removeExpired(),
        ),
      ),
    (err) =>
      logger.warn(
        { err },
        'sessions, visitors, signatures, codes and keys of requests past their time were not removed',
      ),
  )
  return {
    routes: workflowRoutes({ table, clock }),
    manager,
    async stop() {
      await Promise.all([manager.stop(), cleaning.stop()])
    },
  }
}
