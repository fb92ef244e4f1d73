import { chakra } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { NavigationEntry } from './navigation.ts'
import { useNavigation } from './navigation.ts'

/** The look of all groups and links, said once: a component for each link would be most of the frame's cost. */
const NAVIGATION_CSS = {
  display: 'flex',
  flexDirection: 'column',
  gap: '4',
  '& [data-title]': {
    px: '2.5',
    pb: '1',
    fontSize: 'xs',
    fontWeight: '600',
    color: 'fg.subtle',
  },
  '& ul': { display: 'flex', flexDirection: 'column', gap: '0.5', listStyleType: 'none' },
  '& a': {
    display: 'flex',
    alignItems: 'center',
    gap: '2.5',
    h: '34px',
    px: '2.5',
    borderRadius: 'l2',
    color: 'fg.muted',
    fontWeight: '500',
    _hover: { bg: 'bg.muted', color: 'fg' },
  },
  '&[data-compact] a': { justifyContent: 'center' },
  '& a[aria-current=page]': { bg: 'teal.subtle', color: 'teal.fg' },
} as const

/** The groups of screens as links; with `isCompact`, as icons whose names are hints. */
export function NavigationList(props: { isCompact?: boolean; onChoose?: () => void }) {
  const { t } = useTranslation()
  const groups = useNavigation()
  return (
    <chakra.nav
      css={NAVIGATION_CSS}
      aria-label={t('frame.navigation')}
      {...(props.isCompact ? { 'data-compact': '' } : {})}
    >
      {groups.map((group) => (
        <div key={group.title}>
          {props.isCompact ? null : <div data-title="">{group.title}</div>}
          <ul>
            {group.entries.map((entry) => (
              <li key={entry.to}>
                <Entry entry={entry} {...props} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </chakra.nav>
  )
}

function Entry(props: { entry: NavigationEntry; isCompact?: boolean; onChoose?: () => void }) {
  const { entry, isCompact } = props
  return (
    <Link
      to={entry.to}
      {...(props.onChoose ? { onClick: props.onChoose } : {})}
      {...(isCompact ? { 'aria-label': entry.label, 'data-hint': entry.label } : {})}
    >
      <entry.icon size={16} aria-hidden />
      {isCompact ? null : entry.label}
    </Link>
  )
}
