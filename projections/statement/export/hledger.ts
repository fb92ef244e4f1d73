import { type Leg, openingLegs } from './book-entries.ts'
import { accountsOfBook, COMMODITY, OPENING, OWN_ACCOUNTS, ownAccount } from './book-accounts.ts'
import { type BookWords, dayOfClosing, dayOfOpening, pricesByDay } from './book-text.ts'
import { CURRENCY } from './quota-prices.ts'

/** A book as a journal of hledger that passes `hledger check --strict`; ends by asserting the closing balances. */
export const hledger: BookWords = {
  head: (book) => {
    const accounts = accountsOfBook(book.userId).map((account) => `account ${account}\n`)
    const opening = openingLegs(book.opening, book.userId)
    const asserted = opening.map(({ account, amount }) => assertion(account, amount, amount))
    const entry =
      opening.length === 0
        ? ''
        : `${dayOfOpening(book)} * opening\n${asserted.join('')}    ${OPENING}\n\n`
    const prices = [...pricesByDay(book)].map(
      ([day, usd]) => `P ${day} ${COMMODITY} ${usd} ${CURRENCY}\n`,
    )
    const commodities = `commodity 1000. ${COMMODITY}\ncommodity 1000.000000 ${CURRENCY}\n`
    return `decimal-mark .\n${commodities}${accounts.join('')}\n${prices.join('')}\n${entry}`
  },
  entry: ({ day, kind, positions, facts, legs }) => {
    const code = positions === '' ? '' : `(${positions}) `
    const tags = Object.entries(facts).map(([name, value]) => `    ; ${name}: ${tagValue(value)}\n`)
    return `${day} * ${code}${kind}\n${tags.join('')}${legs.map(legLine).join('')}\n`
  },
  foot: (book) => {
    const lines = OWN_ACCOUNTS.map((account) =>
      assertion(ownAccount(account, book.userId), 0, -book.closing[account]),
    )
    return `${dayOfClosing(book)} * closing\n${lines.join('')}`
  },
}

const legLine = ({ account, amount }: Leg): string => `    ${account}  ${amount} ${COMMODITY}\n`

const assertion = (account: string, amount: number, balance: number): string =>
  `    ${account}  ${amount} ${COMMODITY} = ${balance} ${COMMODITY}\n`

/**
 * A tag's value ends at a comma or line break, and brackets hold dates: those characters are written as in addresses
 * (`%2C`), as is the per cent sign itself.
 */
const tagValue = (text: string): string =>
  text.replaceAll(/[%,[\]\p{Cc}\p{Zl}\p{Zp}]/gu, encodeURIComponent)
