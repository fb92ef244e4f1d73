import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { Wallet } from '../../features/wallet/wallet.tsx'

export const Route = createFileRoute('/_signed-in/topup')({
  loader: textsOf('wallet'),
  component: Wallet,
})
