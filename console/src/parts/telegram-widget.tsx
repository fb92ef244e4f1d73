import { Box } from '@chakra-ui/react'
import { useEffect, useRef } from 'react'

/** https://core.telegram.org/widgets/login */
const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22'

/** Telegram's login button, which leads the page to `authUrl` with what Telegram has signed in its query. */
export function TelegramWidget({ botName, authUrl }: { botName: string; authUrl: string }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.async = true
    script.dataset['telegramLogin'] = botName
    script.dataset['size'] = 'medium'
    script.dataset['authUrl'] = authUrl
    const place = container.current
    place?.append(script)
    return () => place?.replaceChildren()
  }, [botName, authUrl])
  return <Box ref={container} minH="28px" />
}
