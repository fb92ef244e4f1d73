import { Box, Button, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { clientAddress } from '../../core/last-status.ts'
import { useStatus } from '../../core/status.ts'
import { chatModel } from '../../parts/chat-model.ts'
import { Id } from '../../parts/id.tsx'
import { Facts } from '../../parts/facts.tsx'
import { named } from '../../parts/combobox/choices.ts'
import { ChoiceField } from '../../parts/combobox/combobox-field.tsx'
import { CodeBlock } from '../../parts/markdown/code-block.tsx'
import { Money } from '../../parts/money.tsx'
import { clientKey, snippets } from '../../parts/snippets.ts'
import { Tag } from '../../parts/tag.tsx'
import { StatementLink } from '../../parts/statement-link.tsx'
import { Time } from '../../parts/time.tsx'
import { chatLink, chatsOf } from './chat-links.ts'
import type { TokenAction } from './columns.tsx'
import { LastUsed, OwnGroup, SpendLink } from './columns.tsx'
import { userModelsQuery } from './queries.ts'
import { maskedKey, TokenKey } from './token-key.tsx'
import { tokenState } from './token-status.ts'

interface PanelProps {
  readonly token: Token
  /** It was just made: its key is shown at once. */
  readonly isNew: boolean
  readonly act: (action: TokenAction, token: Token) => void
}

/** A token: its key, how it is doing, and how to call the gateway with it. */
export function TokenPanel({ token, isNew, act }: PanelProps) {
  const { t } = useTranslation()
  const actions = ['edit', token.status === 1 ? 'disable' : 'enable', 'delete'] as const
  return (
    <Stack gap="5">
      <Box bg="bg.subtle" borderRadius="l2" px="3" py="1.5">
        <TokenKey key={token.id} value={token.key} name={token.name} isShownAtFirst={isNew} />
      </Box>
      <TokenFacts token={token} />
      <Flex gap="2" wrap="wrap">
        {actions.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="outline"
            {...(action === 'delete' ? { color: 'fg.error' } : {})}
            onClick={() => act(action, token)}
          >
            {t(`action.${action}`)}
          </Button>
        ))}
      </Flex>
      <HowToCall key={`call ${token.id}`} token={token} />
    </Stack>
  )
}

function TokenFacts({ token }: { token: Token }) {
  const { t } = useTranslation()
  const { name, tone } = tokenState(token)
  const models = token.model_limits.split(',').filter(Boolean)
  return (
    <Facts
      facts={[
        { label: t('tokens.status'), value: <Tag tone={tone}>{t(`tokens.state_${name}`)}</Tag> },
        {
          label: t('tokens.usedOf'),
          value: (
            <SpendLink token={token}>
              <Money value={token.used_quota} />
            </SpendLink>
          ),
        },
        {
          label: t('ledger.label'),
          value: (
            <StatementLink
              part={{ term: 'charges', token: token.id, group: 'month', start: token.created_time }}
            >
              {t('place.statement')}
            </StatementLink>
          ),
        },
        {
          label: t('tokens.remainingOf'),
          value: token.unlimited_quota ? (
            t('tokens.unlimited')
          ) : (
            <Money value={token.remain_quota} kind="balance" />
          ),
        },
        { label: t('tokens.group'), value: token.group || <OwnGroup /> },
        {
          label: t('tokens.models'),
          value: token.model_limits_enabled ? models.join(', ') : t('tokens.anyModel'),
        },
        { label: t('tokens.allowIps'), value: token.allow_ips?.split('\n').join(', ') },
        { label: t('tokens.created'), value: <Time seconds={token.created_time} /> },
        { label: t('tokens.lastUsed'), value: <LastUsed token={token} /> },
        {
          label: t('tokens.expires'),
          value: token.expired_time > 0 ? <Time seconds={token.expired_time} /> : t('tokens.never'),
        },
      ]}
    />
  )
}

/** Address, model and code that runs as it is: the key is hidden on the screen and filled in on copying. */
function HowToCall({ token }: { token: Token }) {
  const { t } = useTranslation()
  const status = useStatus()
  const all = useQuery(userModelsQuery).data ?? []
  const models = token.model_limits_enabled ? token.model_limits.split(',').filter(Boolean) : all
  const [chosen, setChosen] = useState('')
  const model = chosen || chatModel(models)
  const server = clientAddress(status)
  const chats = chatsOf(status, t)
  const key = clientKey(token.key)
  const filledIn = snippets({ server, key, model })
  return (
    <Section title={t('tokens.connect')}>
      <Flex direction="column" gap="1">
        <Text fontWeight="500">{t('tokens.baseUrl')}</Text>
        <Id value={`${server}/v1`} label={t('tokens.copyBaseUrl')} />
      </Flex>
      <ChoiceField
        label={t('tokens.model')}
        value={model}
        onChange={setChosen}
        choices={(models.length > 0 ? models : [model]).map(named)}
      />
      {snippets({ server, key: maskedKey(token.key), model }).map((snippet, index) => (
        <CodeBlock
          key={snippet.name}
          label={snippet.name}
          code={snippet.code}
          copied={filledIn[index]?.code ?? snippet.code}
        />
      ))}
      {chats.length > 0 ? (
        <Flex direction="column" gap="1">
          <Text fontWeight="500">{t('tokens.chatLinks')}</Text>
          {chats.map(([name, template]) => (
            <a
              key={name}
              href={chatLink(template, { server, key })}
              target="_blank"
              rel="noreferrer"
              style={{ textDecoration: 'underline' }}
            >
              {name}
            </a>
          ))}
        </Flex>
      ) : null}
    </Section>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack as="section" gap="4" aria-label={title}>
      <Heading as="h3" size="sm">
        {title}
      </Heading>
      {children}
    </Stack>
  )
}
