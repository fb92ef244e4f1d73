import type { ReactNode } from 'react'
import { useId } from 'react'
import { BusyButton } from '../busy-button.tsx'
import { FormView } from './form-view.tsx'
import type { FormHandle } from './use-form.ts'
import { CancelButton, DialogFrame } from '../dialog-frame.tsx'

/** A short form in a dialog; it stays open until the caller closes it, so a failed save loses nothing. */
export function FormDialog(props: {
  title: string
  form: FormHandle
  submitLabel: string
  isDanger?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <DialogFrame
      title={props.title}
      focusedForm={id}
      actions={
        <>
          <CancelButton onClick={props.onClose} />
          <BusyButton
            size="sm"
            type="submit"
            form={id}
            colorPalette={props.isDanger ? 'red' : 'teal'}
            isBusy={props.form.isBusy}
          >
            {props.submitLabel}
          </BusyButton>
        </>
      }
      onClose={props.onClose}
    >
      <FormView id={id} form={props.form}>
        {props.children}
      </FormView>
    </DialogFrame>
  )
}
