import { balances } from './balances/projector.ts'
import { channels } from './channels/projector.ts'
import { dashboard } from './dashboard/projector.ts'
import { drawings } from './drawings/projector.ts'
import { journal } from './journal/projector.ts'
import { options } from './options/projector.ts'
import type { AnyProjector } from './runner/projector.ts'
import { prices } from './prices/projector.ts'
import { redemptions } from './redemptions/projector.ts'
import { tasks } from './tasks/projector.ts'
import { tokens } from './tokens/projector.ts'
import { topUps } from './top-ups/projector.ts'
import { usageLog } from './usage-log/projector.ts'
import { users } from './users/projector.ts'

/** Every read model there is, in the order in which they are shown. */
export const readModels: readonly AnyProjector[] = [
  balances,
  journal,
  usageLog,
  dashboard,
  tokens,
  channels,
  users,
  options,
  prices,
  redemptions,
  drawings,
  tasks,
  topUps,
]
