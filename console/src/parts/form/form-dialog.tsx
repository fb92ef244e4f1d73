import { Button, Dialog, Portal } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { FormView } from './form-view.tsx'
import type { FormHandle } from './use-form.ts'

/** A short form in a dialog; it stays open until the caller closes it, so a failed save loses nothing. */
export function FormDialog(props: {
  title: string
  form: FormHandle
  submitLabel: string
  isDanger?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <Dialog.Root
      size="sm"
      open
      initialFocusEl={() => document.getElementById(id)?.querySelector('input') ?? null}
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
              <FormView id={id} form={props.form}>
                {props.children}
              </FormView>
            </Dialog.Body>
            <Dialog.Footer>
              <Button size="sm" variant="outline" onClick={props.onClose}>
                {t('action.cancel')}
              </Button>
              <Button
                size="sm"
                type="submit"
                form={id}
                colorPalette={props.isDanger ? 'red' : 'teal'}
                loading={props.form.isBusy}
              >
                {props.submitLabel}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
