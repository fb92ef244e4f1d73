import { Badge, chakra } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'

/** Kinds of ledger accounts, as the journal names them; the first three are a user's own. */
export const LEDGER_ACCOUNTS = [
  'wallet',
  'held',
  'affiliate',
  'usage-revenue',
  'top-ups',
  'redemptions',
  'promotions',
  'adjustments',
] as const
/** One of them. */
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number]

/** Whether each user has one of their own. */
export const isOwnAccount = (account: LedgerAccount): account is 'wallet' | 'held' | 'affiliate' =>
  account === 'wallet' || account === 'held' || account === 'affiliate'

/** Users' accounts stand apart from those they share; the words say which one it is. */
const PALETTES: Readonly<Record<LedgerAccount, string>> = {
  wallet: 'teal',
  held: 'orange',
  affiliate: 'blue',
  'usage-revenue': 'gray',
  'top-ups': 'gray',
  redemptions: 'gray',
  promotions: 'gray',
  adjustments: 'gray',
}

/** A ledger account as a chip; with `onChoose`, a button that filters by it. */
export function LedgerAccountChip(props: {
  account: LedgerAccount
  onChoose?: ((account: LedgerAccount) => void) | undefined
}) {
  const { t } = useTranslation()
  const { account, onChoose } = props
  const name = t(`audit.account_${account}`)
  const chip = (
    <Badge size="sm" variant="subtle" colorPalette={PALETTES[account]}>
      {name}
    </Badge>
  )
  if (!onChoose) return chip
  return (
    <chakra.button
      type="button"
      cursor="pointer"
      lineHeight="1"
      data-hint={t('list.filterBy', { value: name })}
      onClick={() => onChoose(account)}
    >
      {chip}
    </chakra.button>
  )
}
