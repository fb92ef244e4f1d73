import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import { clientKey } from '../../rate-limits/client-key.ts'
import type { Config } from '../config.ts'

/** One budget for everything that clients send to this process: relay, playground and the console's calls. */
export const composeUploads = ({ relayBodyBytesMax }: Pick<Config, 'relayBodyBytesMax'>): Uploads =>
  new Uploads({ limits: bodyBudgetLimits(relayBodyBytesMax), addressKey: clientKey })
