import { CloseButton, Portal } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Drawer } from '../parts/late/drawer.ts'
import { NavigationList } from './navigation-list.tsx'

/** The side bar's groups on narrow windows, opened from the top bar. */
export default function NavigationDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Drawer.Root
      open
      placement="start"
      size="xs"
      onOpenChange={(details) => !details.open && onClose()}
    >
      <Portal>
        <Drawer.Backdrop />
        <Drawer.Positioner>
          <Drawer.Content maxW="280px">
            <Drawer.Header py="3">
              <Drawer.Title>{t('frame.navigation')}</Drawer.Title>
            </Drawer.Header>
            <Drawer.Body px="3">
              <NavigationList onChoose={onClose} />
            </Drawer.Body>
            <Drawer.CloseTrigger asChild>
              <CloseButton size="sm" aria-label={t('action.close')} />
            </Drawer.CloseTrigger>
          </Drawer.Content>
        </Drawer.Positioner>
      </Portal>
    </Drawer.Root>
  )
}
