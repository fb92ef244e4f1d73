import { Box, IconButton } from '@chakra-ui/react'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../core/preferences.ts'
import { useStatus } from '../core/status.ts'
import { NavigationList } from './navigation-list.tsx'

/** The side bar of wide windows; collapsing is remembered and starts as the option DefaultCollapseSidebar says. */
export function SideBar() {
  const { t } = useTranslation()
  const collapsedByOption = String(useStatus()?.default_collapse_sidebar ?? false)
  const [collapsed, setCollapsed] = usePreference('sidebar-collapsed', collapsedByOption)
  const isCompact = collapsed === 'true'
  const label = isCompact ? t('frame.expand') : t('frame.collapse')
  return (
    <Box
      hideBelow="sm"
      css={{ '@media print': { display: 'none' } }}
      flexShrink="0"
      w={isCompact ? '60px' : '208px'}
      borderRightWidth="1px"
      borderColor="border"
      bg="bg.panel"
    >
      <Box position="sticky" top="48px" p="2.5" display="flex" flexDirection="column" gap="4">
        <NavigationList isCompact={isCompact} />
        <IconButton
          size="xs"
          variant="ghost"
          alignSelf={isCompact ? 'center' : 'flex-start'}
          aria-label={label}
          data-hint={label}
          onClick={() => setCollapsed(String(!isCompact))}
        >
          {isCompact ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
        </IconButton>
      </Box>
    </Box>
  )
}
