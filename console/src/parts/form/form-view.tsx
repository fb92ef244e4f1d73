import { Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { ApiError } from '../../core/api.ts'
import { CopyTextButton } from '../copy.tsx'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid, Form } from './form.tsx'
import type { FormHandle } from './use-form.ts'

/** The fields of a form one below the other, and under them why the last save failed. */
export function FormView(props: { form: FormHandle; id?: string; children: ReactNode }) {
  const { form } = props
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The answer comes when the eye is on the button that sent it, and the field may be out of sight.
    if (element.current && Object.keys(form.refused).length > 0) focusFirstInvalid(element.current)
  }, [form.refused])
  return (
    <Form
      ref={element}
      onSubmit={() => form.submit()}
      style={{ display: 'grid', gap: '16px' }}
      {...(props.id ? { id: props.id } : {})}
    >
      {props.children}
      <FormFailure failure={form.failure} />
    </Form>
  )
}

/** Why a save failed as a whole, with the request id to copy; nothing when it did not. */
export function FormFailure({ failure }: { failure: unknown }) {
  const { t } = useTranslation()
  if (failure === null) return null
  const requestId = failure instanceof ApiError ? failure.requestId : ''
  return (
    <div role="alert">
      <Text color="fg.error" overflowWrap="anywhere">
        {failure instanceof Error && failure.message !== ''
          ? failure.message
          : t('failure.serverError')}
      </Text>
      {requestId ? <CopyTextButton text={requestId}>{t('copy.requestId')}</CopyTextButton> : null}
    </div>
  )
}
