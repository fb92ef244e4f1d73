import { channelRows } from '@tollgate/command-api/workflows/channel-recovery.ts'
import { channelNotice } from '@tollgate/command-api/channels/root-notices.ts'
import { forgetting } from '@tollgate/command-api/workflows/erasure.ts'
import {
  type ProcessManager,
  startProcessManager,
} from '@tollgate/command-api/workflows/manager/workflow-manager.ts'
import { processRows } from '@tollgate/command-api/workflows/manager/workflow-rows.ts'
import { processRoutes } from '@tollgate/command-api/workflows/manager/routes.ts'
import type { Notifier } from '@tollgate/command-api/notifications/notifier.ts'
import { redemptionProcesses } from '@tollgate/command-api/workflows/redemption-credit.ts'
import { addressOrphans } from '@tollgate/command-api/workflows/token-address-recovery.ts'
import { tokenOrphans } from '@tollgate/command-api/workflows/token-recovery.ts'
import { finishSubmissions } from '@tollgate/command-api/workflows/submission-recovery.ts'
import { taskPayloads } from '@tollgate/command-api/tasks/payloads.ts'
import { refundFailedTasks } from '@tollgate/command-api/workflows/task-refund.ts'
import { taskDesk } from '@tollgate/command-api/tasks/task-service.ts'
import { adjustmentNotice } from '@tollgate/command-api/workflows/adjustment-notice.ts'
import { firstTokens, owedTokens } from '@tollgate/command-api/users/first-token.ts'
import { invitationRewards } from '@tollgate/command-api/workflows/invitation-reward.ts'
import { userRecovery } from '@tollgate/command-api/workflows/user-recovery.ts'
import { topUpProcess } from '@tollgate/command-api/workflows/top-up-credit.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { LedgerSide } from './compose-ledger.ts'
import { repeating } from '../timers/repeating.ts'
import type { World } from '../runtime.ts'

/** Work across streams and between rows and events, composed. */
export interface ProcessSide {
  readonly routes: readonly ApiRoute[]
  readonly manager: Pick<ProcessManager, 'stuckCount'>
  stop(): Promise<void>
}

/** How often sessions, visitors, signatures, codes and keys of requests past their time are removed. */
const SESSIONS_MS = 60_000

export async function composeProcesses(
  world: World,
  { pool, store }: Engines,
  {
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
  }: Identity,
  { ledger, timelines }: LedgerSide,
  shareWork: ShareWork,
  notifier: Notifier,
): Promise<ProcessSide> {
  const { clock, randomness, entropy, logger } = world
  const { tokens, channels } = secrets
  const table = processRows(pool)
  const writer = { store, clock, randomness }
  const payloads = taskPayloads(pool, clock)
  const desk = taskDesk({ ...writer, payloads })
  const manager = await startProcessManager({
    store,
    clock,
    timelines,
    table,
    shareWork,
    kinds: [
      adjustmentNotice({ notifier, notes, options }),
      channelNotice({ notifier, users, channels }),
      invitationRewards({ ledger }),
      topUpProcess(ledger),
      ...redemptionProcesses({ store, secrets: secrets.redemptions, ledger }),
      ...forgetting({ users, sessions, tokens, channels, tasks: payloads, notes, addresses }),
      refundFailedTasks({ store, ledger }),
      finishSubmissions({ store, clock, payloads, desk }),
      firstTokens({ users, owed: owedTokens(pool), ledger, secrets: tokens, entropy }),
      tokenOrphans({ tokens, ledger }),
      addressOrphans({ addresses, ledger }),
      ...channelRows({ ...writer, secrets: channels }),
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
    routes: processRoutes({ table, clock }),
    manager,
    async stop() {
      await Promise.all([manager.stop(), cleaning.stop()])
    },
  }
}
