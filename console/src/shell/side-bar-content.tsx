import { Box, IconButton } from '@chakra-ui/react'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { NavigationList } from './navigation-list.tsx'

/** The groups of screens, and the button that collapses them to icons or expands them. */
export default function SideBarContent(props: { isCompact: boolean; onToggle: () => void }) {
  const { t } = useTranslation()
  const label = props.isCompact ? t('frame.expand') : t('frame.collapse')
  return (
    <Box position="sticky" top="48px" p="2.5" display="flex" flexDirection="column" gap="4">
      <NavigationList isCompact={props.isCompact} />
      <IconButton
        size="xs"
        variant="ghost"
        alignSelf={props.isCompact ? 'center' : 'flex-start'}
        aria-label={label}
        data-hint={label}
        onClick={props.onToggle}
      >
        {props.isCompact ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
      </IconButton>
    </Box>
  )
}
