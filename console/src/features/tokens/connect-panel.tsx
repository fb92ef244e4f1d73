import { Flex, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { clientAddress, useStatus } from '../../core/status.ts'
import { CodeBlock } from '../../parts/markdown/code-block.tsx'
import { Id } from '../../parts/copy.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { chatModel } from '../../parts/chat-model.ts'
import { SelectField } from '../../parts/fields.tsx'
import { clientKey, snippets } from '../../parts/snippets.ts'
import { userModelsQuery } from './queries.ts'
import { TokenKey } from './token-key.tsx'

/** How to call the gateway with this token: address, key, and code that runs as it is. */
export function ConnectPanel({ token, onClose }: { token: Token; onClose: () => void }) {
  const { t } = useTranslation()
  const status = useStatus()
  const all = useQuery(userModelsQuery).data ?? []
  const models = token.model_limits_enabled ? token.model_limits.split(',').filter(Boolean) : all
  const [chosen, setChosen] = useState('')
  const model = chosen || chatModel(models)
  const server = clientAddress(status)
  const chats = (status?.chats ?? []).flatMap((chat) => Object.entries(chat))
  return (
    <SidePanel title={t('tokens.connectTitle', { name: token.name })} onClose={onClose}>
      <Stack gap="4">
        <Flex direction="column" gap="1">
          <Text fontWeight="500">{t('tokens.baseUrl')}</Text>
          <Id value={`${server}/v1`} label={t('tokens.copyBaseUrl')} />
        </Flex>
        <Flex direction="column" gap="1">
          <Text fontWeight="500">{t('tokens.key')}</Text>
          <TokenKey value={token.key} name={token.name} />
        </Flex>
        <SelectField
          label={t('tokens.model')}
          value={model}
          onChange={setChosen}
          options={(models.length > 0 ? models : [model]).map((name) => ({
            value: name,
            label: name,
          }))}
        />
        {snippets({ server, key: clientKey(token.key), model }).map((snippet) => (
          <CodeBlock key={snippet.name} label={snippet.name} code={snippet.code} />
        ))}
        {chats.length > 0 ? (
          <Flex direction="column" gap="1">
            <Text fontWeight="500">{t('tokens.chatLinks')}</Text>
            {chats.map(([name, template]) => (
              <a
                key={name}
                href={chatLink(template, server, clientKey(token.key))}
                target="_blank"
                rel="noreferrer"
                style={{ textDecoration: 'underline' }}
              >
                {name}
              </a>
            ))}
          </Flex>
        ) : null}
      </Stack>
    </SidePanel>
  )
}

/** A configured chat link with this token's key and the server's address filled in (seeds, token management). */
function chatLink(template: string, server: string, key: string): string {
  return template.replaceAll('{address}', encodeURIComponent(server)).replaceAll('{key}', key)
}
