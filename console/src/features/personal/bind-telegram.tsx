import { Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { useStatus } from '../../core/status.ts'
import { NoticeDialog } from '../../parts/notice-dialog.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { TelegramWidget } from '../../parts/telegram-widget.tsx'

/**
 * Binds Telegram through its login widget, which leads the page to the address that it is given. It cannot send a header:
 * a state of one use shows the server that a page of ours began it.
 */
export function BindTelegram({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const botName = useStatus()?.telegram_bot_name ?? ''
  const begin = useQuery({
    queryKey: ['telegram-state'],
    queryFn: () => get('/api/oauth/state'),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  return (
    <NoticeDialog title={t('personal.bindTelegram')} onClose={onClose}>
      <Text mb="3">{t('personal.telegramHelp')}</Text>
      {begin.isPending ? <SkeletonRows rows={1} height="28px" /> : null}
      {begin.isError ? (
        <ErrorState error={begin.error} onRetry={() => void begin.refetch()} />
      ) : null}
      {begin.data ? <TelegramWidget botName={botName} authUrl={bindAddress(begin.data)} /> : null}
    </NoticeDialog>
  )
}

function bindAddress(state: string): string {
  const address = new URL('/api/oauth/telegram/bind', location.origin)
  address.searchParams.set('state', state)
  return address.href
}
