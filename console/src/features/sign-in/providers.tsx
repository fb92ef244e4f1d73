import { Box, Button, Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import type { Status } from '../../core/contract.ts'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { keepNext, leaveForProvider, type OAuthProvider } from '../../parts/leave-for-provider.ts'
import { TelegramWidget } from '../../parts/telegram-widget.tsx'
import { useEnter } from './use-enter.ts'

/** Dialogs are loaded by those who open one. */
const WeChatDialog = lazy(async () => ({
  default: (await import('../../parts/wechat-dialog.tsx')).WeChatDialog,
}))

/** One button for each provider that is switched on. */
export function Providers({ status, next }: { status: Status; next: string }) {
  const { t } = useTranslation()
  const [isWeChatOpen, setWeChatOpen] = useState(false)
  const leave = useMutation({
    mutationFn: (provider: OAuthProvider) => leaveForProvider(provider, next),
    meta: { isSaidElsewhere: () => true },
  })
  const leading = [
    { provider: 'github', name: 'GitHub', isOn: status.github_oauth },
    { provider: 'oidc', name: 'OIDC', isOn: status.oidc_enabled },
    { provider: 'linuxdo', name: 'Linux DO', isOn: status.linuxdo_oauth },
  ] as const
  return (
    <Stack gap="2" mt="4">
      <Flex align="center" gap="3" color="fg.muted" aria-hidden>
        <Rule />
        <Text>{t('provider.or')}</Text>
        <Rule />
      </Flex>
      <FormError error={leave.error} />
      {leading
        .filter(({ isOn }) => isOn)
        .map(({ provider, name }) => (
          <BusyButton
            key={provider}
            size="sm"
            variant="outline"
            isBusy={leave.isPending && leave.variables === provider}
            onClick={() => leave.mutate(provider)}
          >
            {t('provider.continue', { name })}
          </BusyButton>
        ))}
      {status.wechat_login ? (
        <Button size="sm" variant="outline" onClick={() => setWeChatOpen(true)}>
          {t('provider.wechatTitle')}
        </Button>
      ) : null}
      {status.telegram_oauth && status.telegram_bot_name !== '' ? (
        <Flex justify="center">
          <TelegramSignIn botName={status.telegram_bot_name} next={next} />
        </Flex>
      ) : null}
      {isWeChatOpen ? <WeChatSignIn next={next} onClose={() => setWeChatOpen(false)} /> : null}
    </Stack>
  )
}

const Rule = () => <Box flex="1" borderTopWidth="1px" borderColor="border" />

/** Telegram's button is a frame of its own: it leaves without a call of ours, so the wanted page is kept before. */
function TelegramSignIn({ botName, next }: { botName: string; next: string }) {
  useEffect(() => keepNext(next), [next])
  return <TelegramWidget botName={botName} authUrl={`${location.origin}/oauth/telegram`} />
}

function WeChatSignIn({ next, onClose }: { next: string; onClose: () => void }) {
  const { t } = useTranslation()
  const enter = useEnter()
  const signIn = useMutation({
    mutationFn: (code: string) => get('/api/oauth/wechat', { code }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: (user) => enter(user, next || '/'),
  })
  return (
    <Suspense>
      <WeChatDialog
        title={t('provider.wechatTitle')}
        submitLabel={t('login.submit')}
        isBusy={signIn.isPending}
        error={signIn.error}
        onCode={(code) => signIn.mutate(code)}
        onClose={onClose}
      />
    </Suspense>
  )
}
