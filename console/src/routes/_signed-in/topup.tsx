import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { Wallet } from '../../features/wallet/wallet.tsx'

export const Route = createFileRoute('/_signed-in/topup')({
  beforeLoad: readingAhead(() => import('../../features/wallet/queries.ts')),
  loader: textsOf('wallet'),
  component: Wallet,
})
