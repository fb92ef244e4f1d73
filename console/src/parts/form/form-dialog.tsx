import type { ReactNode } from 'react'
import { useId } from 'react'
import { BusyButton } from '../busy-button.tsx'
import { FormView } from './form-view.tsx'
import type { FormHandle } from './use-form.ts'
import { CancelButton, DialogFrame } from '../dialog-frame.tsx'
import { useLeaveGuard } from './leave-guard.tsx'

/**
 * A short form in a dialog. Closing, Back and reload with something typed ask first; it stays open until the caller
 * closes it, so a failed save loses nothing.
 */
export function FormDialog(props: {
  title: string
  form: FormHandle
  submitLabel: string
  isDanger?: boolean
  /** The form cannot be sent now, for a reason that it says itself. */
  isDisabled?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  const guard = useLeaveGuard(props.form)
  const close = () => guard.ask(props.onClose)
  return (
    <DialogFrame
      title={props.title}
      focusedForm={id}
      actions={
        <>
          <CancelButton onClick={close} />
          <BusyButton
            size="sm"
            type="submit"
            form={id}
            colorPalette={props.isDanger ? 'red' : 'teal'}
            isBusy={props.form.isBusy}
            isLocked={props.isDisabled ?? false}
          >
            {props.submitLabel}
          </BusyButton>
        </>
      }
      onClose={close}
    >
      <FormView id={id} form={props.form}>
        {props.children}
      </FormView>
      {guard.dialog}
    </DialogFrame>
  )
}
