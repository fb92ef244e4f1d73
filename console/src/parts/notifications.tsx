import { chakra, Stack } from '@chakra-ui/react'
import { i18n } from '../core/i18n.ts'
import { CopyTextButton } from './copy.tsx'
import { createToaster, Toast, Toaster } from './late/toast.ts'

/** Holds the messages, also those that come before their place on the page is there. */
export const toaster = createToaster({ placement: 'top', pauseOnPageIdle: true, max: 4 })

/** Where messages appear; once in the frame. */
export default function Notifications() {
  return (
    // On a phone below the bar at the top, of the page or of a panel: title and close button stay free.
    <Toaster toaster={toaster} insetInline={{ mdDown: '4' }} css={{ mdDown: { top: '64px!' } }}>
      {(toast) => (
        // A message that cannot be closed lets clicks through to the page below it.
        <Toast.Root
          width={{ base: 'full', md: '420px' }}
          pointerEvents={toast.closable ? undefined : 'none'}
          onFocus={(event) => {
            // The group would send Tab back to where it came from: nobody got past a message by keyboard.
            event.stopPropagation()
            toaster.pause(toast.id)
          }}
          onBlur={() => toaster.resume(toast.id)}
        >
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
    <chakra.span
      css={{
        '& button': {
          color: 'inherit',
          borderColor: 'currentColor',
          _hover: { bg: 'blackAlpha.300' },
        },
      }}
    >
      <CopyTextButton text={requestId}>{i18n.t('copy.requestId')}</CopyTextButton>
    </chakra.span>
  )
}
