import { accountsOfBook, COMMODITY, OPENING, OWN_ACCOUNTS, ownAccount } from './book-accounts.ts'
import { type Leg, openingLegs } from './book-entries.ts'
import { type BookWords, dayAfter, dayOfClosing, dayOfOpening, pricesByDay } from './book-text.ts'
import { CURRENCY } from './quota-prices.ts'

/** A book as a ledger of beancount that passes `bean-check`; ends by asserting the closing balances. */
export const beancount: BookWords = {
  head: (book) => {
    const day = dayOfOpening(book)
    const opens = accountsOfBook(book.userId).map(
      (account) => `${day} open ${account} ${COMMODITY}\n`,
    )
    const opening = openingLegs(book.opening, book.userId)
    const prices = [...pricesByDay(book)].map(
      ([priced, usd]) => `${priced} price ${COMMODITY} ${usd} ${CURRENCY}\n`,
    )
    const rest = opening.reduce((sum, { amount }) => sum - BigInt(amount), 0n)
    const legs = [...opening.map(legLine), `  ${OPENING}  ${rest} ${COMMODITY}\n`]
    const entry = opening.length === 0 ? '' : `${day} * "opening"\n${legs.join('')}\n`
    return `option "title" "Tollgate, account ${book.userId}"\noption "operating_currency" "${COMMODITY}"\n${day} commodity ${COMMODITY}\n${day} commodity ${CURRENCY}\n${opens.join('')}\n${prices.join('')}\n${entry}`
  },
  entry: ({ day, kind, positions, facts, legs }) => {
    const all = { ...(positions === '' ? {} : { positions }), ...facts }
    const metadata = Object.entries(all).map(([name, value]) => `  ${name}: ${quoted(value)}\n`)
    return `${day} * "${kind}"\n${metadata.join('')}${legs.map(legLine).join('')}\n`
  },
  // An assertion is about the beginning of its day.
  foot: (book) =>
    OWN_ACCOUNTS.map(
      (account) =>
        `${dayAfter(dayOfClosing(book))} balance ${ownAccount(account, book.userId)} ${-book.closing[account]} ${COMMODITY}\n`,
    ).join(''),
}

const legLine = ({ account, amount }: Leg): string => `  ${account}  ${amount} ${COMMODITY}\n`

/** A text in quotes on one line; other control characters are written as in addresses (`%07`). */
const quoted = (text: string): string =>
  `"${text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, encodeURIComponent)}"`
