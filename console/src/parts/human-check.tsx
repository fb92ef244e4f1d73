import { Box, Button, Stack, Text } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Turnstile's object on the page; https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
interface Turnstile {
  render(
    container: HTMLElement,
    options: {
      readonly sitekey: string
      readonly callback: (token: string) => void
      readonly 'expired-callback': () => void
      readonly 'error-callback': () => void
    },
  ): string
  remove(widget: string): void
}

declare global {
  interface Window {
    readonly turnstile?: Turnstile
  }
}

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

/**
 * The box that tells humans from programs. Gives a token when it is satisfied and null when that is no longer good; each
 * token serves for one call, so give the box another `key` for a new one. Where its script cannot be loaded, which is
 * often the work of a blocker, that is said, with a button to try again.
 */
export function HumanCheck(props: {
  readonly siteKey: string
  readonly onToken: (token: string | null) => void
}) {
  const { siteKey, onToken } = props
  const { t } = useTranslation()
  const container = useRef<HTMLDivElement>(null)
  const [attempt, setAttempt] = useState(1)
  const [failedAttempt, setFailedAttempt] = useState(0)
  useEffect(() => {
    let widget: string | null = null
    let isGone = false
    const draw = () => {
      if (isGone || container.current === null || window.turnstile === undefined) return
      widget = window.turnstile.render(container.current, {
        sitekey: siteKey,
        callback: onToken,
        'expired-callback': () => onToken(null),
        'error-callback': () => onToken(null),
      })
    }
    void loadScript().then(draw, () => setFailedAttempt(attempt))
    return () => {
      isGone = true
      if (widget !== null) window.turnstile?.remove(widget)
    }
  }, [siteKey, onToken, attempt])
  if (failedAttempt === attempt)
    return (
      <Stack role="alert" gap="2" minH="65px" align="start">
        <Text color="fg.error">{t('login.humanCheckBlocked')}</Text>
        <Button size="xs" variant="outline" onClick={() => setAttempt((last) => last + 1)}>
          {t('action.retry')}
        </Button>
      </Stack>
    )
  return <Box ref={container} minH="65px" />
}

let loading: Promise<void> | null = null

/** Loads the script once; tried again after a failure. */
function loadScript(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.async = true
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      loading = null
      reject(new Error(`${SCRIPT} cannot be loaded`))
    })
    document.head.append(script)
  })
  return loading
}
