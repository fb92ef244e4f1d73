import { Box, chakra, Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { NavigationEntry } from './navigation.ts'
import { useNavigation } from './navigation.ts'

/** The groups of screens as links; with `isCompact`, as icons whose names are hints. */
export function NavigationList(props: { isCompact?: boolean; onChoose?: () => void }) {
  const { t } = useTranslation()
  const groups = useNavigation()
  return (
    <Flex as="nav" direction="column" gap="4" aria-label={t('frame.navigation')}>
      {groups.map((group) => (
        <Box key={group.title}>
          {props.isCompact ? null : (
            <Box px="2.5" pb="1" fontSize="xs" fontWeight="600" color="fg.subtle">
              {group.title}
            </Box>
          )}
          <Flex as="ul" direction="column" gap="0.5" listStyleType="none">
            {group.entries.map((entry) => (
              <li key={entry.to}>
                <Entry entry={entry} {...props} />
              </li>
            ))}
          </Flex>
        </Box>
      ))}
    </Flex>
  )
}

function Entry(props: { entry: NavigationEntry; isCompact?: boolean; onChoose?: () => void }) {
  const { entry, isCompact } = props
  return (
    <chakra.div
      css={{
        '& > a': {
          display: 'flex',
          alignItems: 'center',
          gap: '2.5',
          h: '34px',
          px: '2.5',
          borderRadius: 'l2',
          color: 'fg.muted',
          fontWeight: '500',
          justifyContent: isCompact ? 'center' : 'flex-start',
          _hover: { bg: 'bg.muted', color: 'fg' },
        },
        '& > a[aria-current=page]': { bg: 'teal.subtle', color: 'teal.fg' },
      }}
    >
      <Link
        to={entry.to}
        {...(props.onChoose ? { onClick: props.onChoose } : {})}
        {...(isCompact ? { 'aria-label': entry.label, 'data-hint': entry.label } : {})}
      >
        <entry.icon size={16} aria-hidden />
        {isCompact ? null : entry.label}
      </Link>
    </chakra.div>
  )
}
