import { Text } from '@chakra-ui/react'
import { BusyButton } from './busy-button.tsx'
import { CancelButton, DialogFrame } from './dialog-frame.tsx'

/** Asks before something that cannot be taken back lightly; `consequence` says what will happen, in full. */
export function ConfirmDialog(props: {
  isOpen: boolean
  title: string
  consequence: string
  confirmLabel: string
  isDanger?: boolean
  isBusy?: boolean
  /** There is nothing to confirm, as `consequence` says. */
  isDisabled?: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <DialogFrame
      title={props.title}
      isAlert
      isOpen={props.isOpen}
      actions={
        <>
          <CancelButton onClick={props.onClose} />
          <BusyButton
            size="sm"
            colorPalette={props.isDanger ? 'red' : 'teal'}
            isBusy={props.isBusy ?? false}
            isLocked={props.isDisabled ?? false}
            onClick={props.onConfirm}
          >
            {props.confirmLabel}
          </BusyButton>
        </>
      }
      onClose={props.onClose}
    >
      <Text whiteSpace="pre-line" overflowWrap="anywhere">
        {props.consequence}
      </Text>
    </DialogFrame>
  )
}
