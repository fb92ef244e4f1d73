import { Button } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../busy-button.tsx'
import { SidePanel } from '../side-panel.tsx'
import { FormView } from './form-view.tsx'
import { useLeaveGuard } from './leave-guard.tsx'
import type { FormHandle } from './use-form.ts'

/**
 * A form in a side panel. Closing, Back and reload with unsaved changes ask first; the form stays open until the
 * caller closes it, so a failed save loses nothing.
 */
export function DrawerForm(props: {
  title: string
  form: FormHandle
  submitLabel: string
  /** The form's, for a button of `otherWay` to name. */
  id?: string
  /** Another button beside the one that saves. */
  otherWay?: ReactNode
  /** Called when it is sent while it is being saved; by default nothing happens. */
  onSentAgain?: () => void
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { form } = props
  const ownId = useId()
  const id = props.id ?? ownId
  const guard = useLeaveGuard(form)
  const close = () => guard.ask(props.onClose)
  return (
    <SidePanel
      title={props.title}
      onClose={close}
      firstFocus={() =>
        document.getElementById(id)?.querySelector<HTMLElement>('input, select') ?? null
      }
      footer={
        <>
          <Button size="sm" variant="outline" onClick={close}>
            {t('action.cancel')}
          </Button>
          {props.otherWay}
          <BusyButton
            size="sm"
            type="submit"
            form={id}
            isBusy={form.isBusy}
            onBusyPress={props.onSentAgain}
          >
            {props.submitLabel}
          </BusyButton>
        </>
      }
    >
      <FormView id={id} form={form}>
        {props.children}
      </FormView>
      {guard.dialog}
    </SidePanel>
  )
}
