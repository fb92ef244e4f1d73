import { Button, Portal } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFocusBack } from './focus-back.ts'
import { Dialog } from './late/dialog.ts'

/**
 * The frame of every dialog: title, body, buttons; Escape and a click beside it close it. A dialog is mounted while it
 * is open, unless `isOpen` says otherwise.
 */
export function DialogFrame(props: {
  title: string
  isOpen?: boolean
  /** True where it interrupts what somebody wanted to do. */
  isAlert?: boolean
  size?: 'xs' | 'sm' | 'md'
  /** True where what it shows is easily lost: a click beside it closes nothing. */
  isModalOnly?: boolean
  /** Id of the form whose first field gets the focus; by default the first control of the dialog. */
  focusedForm?: string
  /** The buttons at its foot. */
  actions: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  const { focusedForm } = props
  useFocusBack(props.isOpen)
  return (
    <Dialog.Root
      open={props.isOpen ?? true}
      role={props.isAlert ? 'alertdialog' : 'dialog'}
      size={props.size ?? 'sm'}
      closeOnInteractOutside={!props.isModalOnly}
      {...(focusedForm ? { initialFocusEl: () => firstInput(focusedForm) } : {})}
      onOpenChange={(details) => !details.open && props.onClose()}
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content>
            <Dialog.Header pb="2">
              <Dialog.Title>{props.title}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>{props.children}</Dialog.Body>
            <Dialog.Footer flexWrap="wrap">{props.actions}</Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}

/** The button that leaves a dialog without doing anything. */
export function CancelButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation()
  return (
    <Button size="sm" variant="outline" onClick={onClick}>
      {t('action.cancel')}
    </Button>
  )
}

const firstInput = (form: string): HTMLElement | null =>
  document.getElementById(form)?.querySelector('input, select, textarea') ?? null
