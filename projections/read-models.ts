import { balances } from './balances/projector.ts'
import type { AnyProjector } from './runner/projector.ts'
import { tokens } from './tokens/projector.ts'
import { usageLog } from './usage-log/projector.ts'

/** Every read model there is, in the order in which they are shown. */
export const readModels: readonly AnyProjector[] = [balances, usageLog, tokens]
