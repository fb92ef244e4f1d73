import { CloseButton, Portal } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusBack } from './focus-back.ts'
import { Drawer } from './late/drawer.ts'

/**
 * A panel at the side (the whole width on a phone) with a title, content and a row of buttons. What has the focus first
 * is the button that closes it, unless the caller names something better.
 */
export function SidePanel(props: {
  title: string
  size?: 'md' | 'lg'
  firstFocus?: () => HTMLElement | null
  onClose: () => void
  footer?: ReactNode
  children: ReactNode
}) {
  const { t } = useTranslation()
  useFocusBack()
  const closeButton = useRef<HTMLButtonElement>(null)
  return (
    <Drawer.Root
      open
      initialFocusEl={props.firstFocus ?? (() => closeButton.current)}
      size={{ base: 'full', sm: props.size ?? 'md' }}
      onOpenChange={(details) => !details.open && props.onClose()}
    >
      <Portal>
        <Drawer.Backdrop />
        <Drawer.Positioner>
          <Drawer.Content>
            <Drawer.Header borderBottomWidth="1px" borderColor="border" py="3">
              <Drawer.Title>{props.title}</Drawer.Title>
            </Drawer.Header>
            <Drawer.Body py="4" tabIndex={0}>
              {props.children}
            </Drawer.Body>
            {props.footer ? (
              <Drawer.Footer flexWrap="wrap" borderTopWidth="1px" borderColor="border" py="3">
                {props.footer}
              </Drawer.Footer>
            ) : null}
            <Drawer.CloseTrigger asChild>
              <CloseButton ref={closeButton} size="sm" aria-label={t('action.close')} />
            </Drawer.CloseTrigger>
          </Drawer.Content>
        </Drawer.Positioner>
      </Portal>
    </Drawer.Root>
  )
}
