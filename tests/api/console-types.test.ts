import type { CHANGE as stateChange } from '@tollgate/command-api/channels/history-route.ts'
import type { statusAnswer } from '@tollgate/command-api/content/status-answer.ts'
import type { SESSION as session } from '@tollgate/command-api/identity/session-list-routes.ts'
import type { userAnswer } from '@tollgate/command-api/users/user-answer.ts'
import type { ChannelEntity } from '@tollgate/command-api/http-contract/channel-entity.ts'
import type { ListedRedemption } from '@tollgate/command-api/http-contract/redemption-entity.ts'
import type { TokenEntity } from '@tollgate/command-api/http-contract/token-entity.ts'
import type { ChargeExplanation } from '@tollgate/domain/pricing/charge.ts'
import type { useAnswer } from '@tollgate/projections/dashboard/routes.ts'
import type { priceAnswer } from '@tollgate/projections/pricing/routes.ts'
import type { logAnswer, statisticsAnswer } from '@tollgate/projections/usage-log/answers.ts'
import type { CHARGE } from '@tollgate/projections/usage-log/charge-entity.ts'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type {
  Channel,
  ListedUser,
  Log,
  LogStat,
  PricingModel,
  Redemption,
  Self,
  Session,
  SessionUser,
  StateChange,
  Status,
  Token,
  UsageHour,
} from '../../console/src/core/contract.ts'
import type { Charge } from '../../console/src/parts/charge/charge.ts'

/**
 * The shapes that the console reads are those that the server sends: `npm run typecheck` fails at the line of a shape
 * that the server has not, or has otherwise.
 */
test('given what the server answers, when the console reads it, then its types have all that they name', () => {
  type User = z.output<typeof userAnswer>
  expectTypeOf<User>().toExtend<SessionUser>()
  expectTypeOf<User>().toExtend<Self>()
  expectTypeOf<User>().toExtend<ListedUser>()
  expectTypeOf<z.output<typeof session>>().toExtend<Session>()
  expectTypeOf<z.output<typeof statusAnswer>>().toExtend<Status>()
  expectTypeOf<TokenEntity>().toExtend<Token>()
  expectTypeOf<ChannelEntity>().toExtend<Channel>()
  expectTypeOf<z.output<typeof stateChange>>().toExtend<StateChange>()
  expectTypeOf<ListedRedemption>().toExtend<Redemption>()
  expectTypeOf<z.output<typeof logAnswer>>().toExtend<Log>()
  expectTypeOf<z.output<typeof statisticsAnswer>>().toExtend<LogStat>()
  expectTypeOf<z.output<typeof CHARGE>>().toExtend<Omit<Charge, 'arithmetic'>>()
  expectTypeOf<ChargeExplanation>().toExtend<NonNullable<Charge['arithmetic']>>()
  expectTypeOf<z.output<typeof useAnswer>>().toExtend<UsageHour>()
  expectTypeOf<z.output<typeof priceAnswer>>().toExtend<PricingModel>()
})
