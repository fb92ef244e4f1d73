import { exampleUsage } from '../example-usage.ts'
import type { ChargedUsage, UsageCharged } from '@tollgate/domain/account/events.ts'
import { holdId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { charge } from '@tollgate/domain/pricing/charge.ts'
import { findPrice, type PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'

/** A charge as the relay and the ledger leave it, at a price of a book. */
export function chargeAt(
  at: number,
  id: string,
  book: PriceBook,
  {
    user = 1,
    late = false,
    ...request
  }: Partial<ChargedUsage> & {
    readonly user?: number
    readonly late?: boolean
  },
): UsageCharged {
  const { model = 'gpt-4o', group = 'default', usage = NO_USAGE } = request
  const found = findPrice(book, { model, group, acceptsUnsetRatio: false })
  if (found.status === 'rejected') throw new Error(`the book has no price for ${model}`)
  const { amount } = charge(found.price, usage)
  return {
    type: 'UsageCharged',
    data: {
      at,
      hold: holdId(userId(user), 1, null),
      sequence: 1,
      token: tokenId(user * 10),
      amount,
      fromHold: NO_QUOTA,
      fromWallet: amount,
      late,
      request: exampleUsage(id, { ...request, model, group, usage, price: found.price }),
      endedAt: at,
    },
  }
}
