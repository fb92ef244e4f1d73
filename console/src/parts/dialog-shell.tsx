import { Portal } from '@chakra-ui/react'
import type { DialogFrameProps } from './dialog-frame.tsx'
import { Dialog } from './late/dialog.ts'

/** The body of `DialogFrame`, fetched when the first dialog opens. */
export default function DialogShell(props: DialogFrameProps) {
  const { focusedForm } = props
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

const firstInput = (form: string): HTMLElement | null =>
  document.getElementById(form)?.querySelector('input, select, textarea') ?? null
