import { Button, Heading, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { Panel } from '../../parts/page.tsx'
import { TelegramWidget } from '../../parts/telegram-widget.tsx'

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
        <TelegramWidget botName={botName} authUrl={bindAddress(begin.data)} />
      )}
    </Panel>
  )
}

function bindAddress(state: string): string {
  const address = new URL('/api/oauth/telegram/bind', location.origin)
  address.searchParams.set('state', state)
  return address.href
}
