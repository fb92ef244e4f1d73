import type { LucideIcon } from 'lucide-react'
import { KeyRound, Network, ScrollText, UserRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from './session.ts'

/** One screen in the side bar. */
export interface NavigationEntry {
  readonly to: '/token' | '/log' | '/channel' | '/personal'
  readonly label: string
  readonly icon: LucideIcon
}

/** A titled group of screens, in the order of the seeds. */
export interface NavigationGroup {
  readonly title: string
  readonly entries: readonly NavigationEntry[]
}

/** The side bar's groups for this user. Only screens that exist are listed. */
export function useNavigation(): readonly NavigationGroup[] {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const admin: NavigationGroup = {
    title: t('frame.groupAdmin'),
    entries: [{ to: '/channel', label: t('place.channels'), icon: Network }],
  }
  return [
    {
      title: t('frame.groupConsole'),
      entries: [
        { to: '/token', label: t('place.tokens'), icon: KeyRound },
        { to: '/log', label: t('place.log'), icon: ScrollText },
      ],
    },
    ...(isAdmin ? [admin] : []),
    {
      title: t('frame.groupPersonal'),
      entries: [{ to: '/personal', label: t('place.personal'), icon: UserRound }],
    },
  ]
}
