import { Button, CloseButton, Drawer, Portal } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Form } from './form.tsx'

/**
 * A form in a side panel. Closing with changes asks first; the form stays open until the caller closes it, so a failed
 * save loses nothing.
 */
export function DrawerForm(props: {
  title: string
  isDirty: boolean
  isBusy: boolean
  submitLabel: string
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const close = () => (props.isDirty ? setAsking(true) : props.onClose())
  return (
    <SidePanel
      title={props.title}
      onClose={close}
      firstFocus={() => document.querySelector<HTMLElement>('#drawer-form :is(input, select)')}
      footer={
        <>
          <Button size="sm" variant="outline" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button size="sm" type="submit" form="drawer-form" loading={props.isBusy}>
            {props.submitLabel}
          </Button>
        </>
      }
    >
      <Form id="drawer-form" onSubmit={props.onSubmit} style={{ display: 'grid', gap: '16px' }}>
        {props.children}
      </Form>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('form.unsavedTitle')}
        consequence={t('form.unsavedConsequence')}
        confirmLabel={t('form.discard')}
        isDanger
        onConfirm={() => {
          setAsking(false)
          props.onClose()
        }}
        onClose={() => setAsking(false)}
      />
    </SidePanel>
  )
}

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
              <Drawer.Footer borderTopWidth="1px" borderColor="border" py="3">
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
