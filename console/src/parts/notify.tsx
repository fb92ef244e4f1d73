import { chakra, createToaster, Stack, Toast, Toaster } from '@chakra-ui/react'
import { ApiError } from '../app/api.ts'
import { i18n } from '../app/i18n.ts'
import { CopyTextButton } from './copy.tsx'

const toaster = createToaster({ placement: 'top', pauseOnPageIdle: true, max: 4 })

/** How long a message stays; failures stay longer because they have to be read and perhaps copied. */
const SUCCESS_MS = 3000
const FAILURE_MS = 10_000

/** Says that something was done. */
export function notifySuccess(title: string): void {
  toaster.create({ title, type: 'success', duration: SUCCESS_MS })
}

/** Says something that needs attention without being a failure. */
export function notifyInfo(title: string): void {
  toaster.create({ title, type: 'info', duration: FAILURE_MS, closable: true })
}

/** Says what failed, with the request id to copy when the server gave one. */
export function notifyFailure(error: unknown): void {
  const requestId = error instanceof ApiError ? error.requestId : ''
  const message = error instanceof Error ? error.message : String(error)
  toaster.create({
    title: message || i18n.t('failure.serverError'),
    type: 'error',
    duration: FAILURE_MS,
    closable: true,
    meta: { requestId },
  })
}

/** Where messages appear; once in the frame. */
export function Notifications() {
  return (
    <Toaster toaster={toaster} insetInline={{ mdDown: '4' }}>
      {(toast) => (
        <Toast.Root width={{ base: 'full', md: '420px' }}>
          <Stack gap="1" flex="1" minW="0">
            <Toast.Title>
              <chakra.span overflowWrap="anywhere">{toast.title}</chakra.span>
            </Toast.Title>
            <RequestIdOf meta={toast.meta} />
          </Stack>
          {toast.closable ? <Toast.CloseTrigger aria-label={i18n.t('action.close')} /> : null}
        </Toast.Root>
      )}
    </Toaster>
  )
}

function RequestIdOf({ meta }: { meta: Record<string, unknown> | undefined }) {
  const requestId = meta?.['requestId']
  if (typeof requestId !== 'string' || requestId === '') return null
  return (
    <span>
      <CopyTextButton text={requestId}>{i18n.t('copy.requestId')}</CopyTextButton>
    </span>
  )
}
