import { Button, Dialog, Portal, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'

/** Asks before something that cannot be taken back lightly; `consequence` says what will happen, in full. */
export function ConfirmDialog(props: {
  isOpen: boolean
  title: string
  consequence: string
  confirmLabel: string
  isDanger?: boolean
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <Dialog.Root
      role="alertdialog"
      size="sm"
      open={props.isOpen}
      onOpenChange={(details) => !details.open && props.onClose()}
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content>
            <Dialog.Header pb="2">
              <Dialog.Title>{props.title}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>
              <Text whiteSpace="pre-line" overflowWrap="anywhere">
                {props.consequence}
              </Text>
            </Dialog.Body>
            <Dialog.Footer>
              <Button size="sm" variant="outline" onClick={props.onClose}>
                {t('action.cancel')}
              </Button>
              <Button
                size="sm"
                colorPalette={props.isDanger ? 'red' : 'teal'}
                loading={props.isBusy ?? false}
                onClick={props.onConfirm}
              >
                {props.confirmLabel}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
