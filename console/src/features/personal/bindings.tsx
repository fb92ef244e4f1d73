import { Box, Flex, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Self } from '../../core/contract.ts'
import { useStatus } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Card } from '../../parts/card.tsx'
import { leaveForProvider, type OAuthProvider } from '../../parts/leave-for-provider.ts'
import { BindEmail } from './bind-email.tsx'
import { BindTelegram } from './bind-telegram.tsx'
import { BindWeChat } from './bind-wechat.tsx'

/** The accounts elsewhere by which one may sign in, and the e-mail: which are bound, and how others are. */
export function Bindings({ self }: { self: Self }) {
  const { t } = useTranslation()
  const status = useStatus()
  const [open, setOpen] = useState<'email' | 'wechat' | 'telegram' | null>(null)
  const close = () => setOpen(null)
  const lead = useMutation({ mutationFn: (provider: OAuthProvider) => leaveForProvider(provider) })
  return (
    <Card title={t('personal.bindings')}>
      <Box as="ul" listStyleType="none">
        <Row
          name={t('personal.email')}
          bound={self.email}
          action={
            <Bind
              name={t('personal.email')}
              label={self.email === '' ? t('personal.bind') : t('personal.change')}
              onClick={() => setOpen('email')}
            />
          }
        />
        <Row
          name={t('personal.wechat')}
          bound={self.wechat_id && t('personal.isBound')}
          action={
            <Bind
              name={t('personal.wechat')}
              isOff={!status?.wechat_login}
              label={self.wechat_id === '' ? t('personal.bind') : t('personal.change')}
              onClick={() => setOpen('wechat')}
            />
          }
        />
        {REDIRECTS.map(({ provider, name, flag, id }) => (
          <Row
            key={provider}
            name={name}
            bound={self[id]}
            action={
              self[id] === '' ? (
                <Bind
                  name={name}
                  isOff={!status?.[flag]}
                  label={t('personal.bind')}
                  isBusy={lead.isPending}
                  onClick={() => lead.mutate(provider)}
                />
              ) : null
            }
          />
        ))}
        <Row
          name={t('personal.telegram')}
          bound={self.telegram_id}
          action={
            self.telegram_id === '' ? (
              <Bind
                name={t('personal.telegram')}
                isOff={!status?.telegram_oauth || status.telegram_bot_name === ''}
                label={t('personal.bind')}
                onClick={() => setOpen('telegram')}
              />
            ) : null
          }
        />
      </Box>
      {open === 'email' ? <BindEmail present={self.email} onClose={close} /> : null}
      {open === 'wechat' ? <BindWeChat onClose={close} /> : null}
      {open === 'telegram' ? <BindTelegram onClose={close} /> : null}
    </Card>
  )
}

const REDIRECTS = [
  { provider: 'github', name: 'GitHub', flag: 'github_oauth', id: 'github_id' },
  { provider: 'oidc', name: 'OIDC', flag: 'oidc_enabled', id: 'oidc_id' },
  { provider: 'linuxdo', name: 'Linux DO', flag: 'linuxdo_oauth', id: 'linux_do_id' },
] as const

function Row(props: { name: string; bound: string; action: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Flex
      as="li"
      py="2"
      gap="3"
      align="center"
      borderBottomWidth="1px"
      borderColor="border.muted"
      css={{ '&:last-of-type': { borderBottomWidth: '0' } }}
    >
      <Text w="84px" flexShrink="0" fontWeight="500">
        {props.name}
      </Text>
      <Text flex="1" minW="0" overflowWrap="anywhere" color={props.bound ? 'fg' : 'fg.muted'}>
        {props.bound || t('personal.unbound')}
      </Text>
      {props.action}
    </Flex>
  )
}

function Bind(props: {
  name: string
  label: string
  isOff?: boolean
  isBusy?: boolean
  onClick: () => void
}) {
  const { t } = useTranslation()
  return (
    <BusyButton
      size="xs"
      variant={props.isOff ? 'ghost' : 'outline'}
      aria-label={`${props.label}: ${props.name}`}
      isLocked={props.isOff ?? false}
      // It says why nothing can be done, so it has to be read.
      _disabled={{ opacity: 1, color: 'fg.muted' }}
      isBusy={props.isBusy ?? false}
      onClick={props.onClick}
    >
      {props.isOff ? t('personal.providerOff') : props.label}
    </BusyButton>
  )
}
