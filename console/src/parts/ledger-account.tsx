import { Badge, chakra } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import type { LedgerAccount } from './ledger-accounts.ts'

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
