import { Box, Button, Heading, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { Panel } from '../../parts/page.tsx'

/** https://core.telegram.org/widgets/login */
const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22'

/**
 * Binds Telegram through its login widget, which leads the page to the address that it is given. It cannot send a header:
 * a state of one use shows the server that a page of ours began it.
 */
export function BindTelegram() {
  const { t } = useTranslation()
  const status = useStatus()
  const self = useQuery(selfQuery)
  const begin = useMutation({ mutationFn: () => get<string>('/api/oauth/state') })
  const botName = status?.telegram_bot_name ?? ''
  if (!status?.telegram_oauth || botName === '' || !self.data) return null
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="1">
        {t('personal.telegram')}
      </Heading>
      <Text color="fg.muted" mb="3">
        {self.data.telegram_id === '' ? t('personal.noTelegram') : t('personal.hasTelegram')}
      </Text>
      {begin.data === undefined ? (
        <Button
          size="sm"
          variant="outline"
          loading={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {t('personal.bindTelegram')}
        </Button>
      ) : (
        <Widget botName={botName} state={begin.data} />
      )}
    </Panel>
  )
}

function Widget({ botName, state }: { botName: string; state: string }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const address = new URL('/api/oauth/telegram/bind', location.origin)
    address.searchParams.set('state', state)
    const script = document.createElement('script')
    script.src = SCRIPT
    script.async = true
    script.dataset['telegramLogin'] = botName
    script.dataset['size'] = 'medium'
    script.dataset['authUrl'] = address.href
    const place = container.current
    place?.append(script)
    return () => place?.replaceChildren()
  }, [botName, state])
  return <Box ref={container} minH="28px" />
}
