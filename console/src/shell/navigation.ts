import type { LucideIcon } from 'lucide-react'
import {
  BadgeDollarSign,
  BookOpenText,
  History,
  Landmark,
  Scale,
  ChartColumn,
  Rewind,
  KeyRound,
  Network,
  ReceiptText,
  ScrollText,
  Settings,
  ShoppingCart,
  Ticket,
  UserRound,
  UsersRound,
  Wallet,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../core/session.ts'
import { useStatus } from '../core/status.ts'

/** One screen in the side bar. */
export interface NavigationEntry {
  readonly to:
    | '/detail'
    | '/token'
    | '/log'
    | '/channel'
    | '/redemption'
    | '/user'
    | '/setting'
    | '/audit/journal'
    | '/audit/events'
    | '/audit/trial-balance'
    | '/audit/balances'
    | '/audit/orders'
    | '/audit/prices'
    | '/replays'
    | '/topup'
    | '/statement'
    | '/personal'
  readonly label: string
  readonly icon: LucideIcon
}

/** A titled group of screens, in the order of the seeds. */
export interface NavigationGroup {
  readonly title: string
  readonly entries: readonly NavigationEntry[]
}

/** The side bar's groups for this user. Only screens that exist are listed; the dashboard has its own switch. */
export function useNavigation(): readonly NavigationGroup[] {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const hasDashboard = useStatus()?.enable_data_export !== false
  const dashboard = { to: '/detail', label: t('place.dashboard'), icon: ChartColumn } as const
  const replays = { to: '/replays', label: t('place.replays'), icon: Rewind } as const
  const admin: NavigationGroup = {
    title: t('frame.groupAdmin'),
    entries: [
      { to: '/channel', label: t('place.channels'), icon: Network },
      { to: '/redemption', label: t('place.redemptions'), icon: Ticket },
      { to: '/user', label: t('place.users'), icon: UsersRound },
      { to: '/setting', label: t('place.settings'), icon: Settings },
    ],
  }
  const audit: NavigationGroup = {
    title: t('frame.groupAudit'),
    entries: [
      { to: '/audit/journal', label: t('place.journal'), icon: BookOpenText },
      { to: '/audit/trial-balance', label: t('place.trialBalance'), icon: Scale },
      { to: '/audit/balances', label: t('place.balances'), icon: Landmark },
      { to: '/audit/orders', label: t('place.orders'), icon: ShoppingCart },
      { to: '/audit/prices', label: t('place.prices'), icon: BadgeDollarSign },
      { to: '/audit/events', label: t('place.events'), icon: History },
      replays,
    ],
  }
  return [
    {
      title: t('frame.groupConsole'),
      entries: [
        ...(hasDashboard ? [dashboard] : []),
        { to: '/token', label: t('place.tokens'), icon: KeyRound },
        { to: '/log', label: t('place.log'), icon: ScrollText },
        // Administrators have it beside the other audits.
        ...(isAdmin ? [] : [replays]),
      ],
    },
    ...(isAdmin ? [admin, audit] : []),
    {
      title: t('frame.groupPersonal'),
      entries: [
        { to: '/topup', label: t('place.wallet'), icon: Wallet },
        { to: '/statement', label: t('place.statement'), icon: ReceiptText },
        { to: '/personal', label: t('place.personal'), icon: UserRound },
      ],
    },
  ]
}
