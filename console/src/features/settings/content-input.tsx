import { Box, Button, chakra, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../parts/fields.tsx'
import { TextAreaField } from '../../parts/text-area-field.tsx'
import { LazyMarkdown } from '../../parts/markdown/lazy-markdown.tsx'

interface ContentProps {
  readonly label: string
  readonly help: string | undefined
  readonly text: string
  readonly error: string | undefined
  readonly onChange: (text: string) => void
}

/** A page of the operator: Markdown or HTML, with a preview of what visitors will see. */
export function PageInput({ label, help, text, error, onChange }: ContentProps) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  const isFrame = /^https?:\/\/\S+$/.test(text.trim())
  return (
    <Box>
      <TextAreaField
        label={label}
        help={help}
        error={error}
        rows={6}
        isMono
        value={text}
        onChange={onChange}
      />
      {text.trim() === '' ? null : (
        <Button
          size="2xs"
          variant="ghost"
          mt="1"
          aria-expanded={isShown}
          aria-label={t('settings.previewOf', { name: label })}
          onClick={() => setShown(!isShown)}
        >
          {t(isShown ? 'settings.hidePreview' : 'settings.preview')}
        </Button>
      )}
      {isShown && text.trim() !== '' ? (
        <Box borderWidth="1px" borderRadius="l2" p="4" mt="1" maxH="420px" overflowY="auto">
          {isFrame ? <Text color="fg.muted">{t('settings.frameAddress')}</Text> : null}
          {isFrame ? text.trim() : <LazyMarkdown text={text} />}
        </Box>
      ) : null}
    </Box>
  )
}

/**
 * The address of a picture, with the picture once it is typed: nobody is asked for half an address. Its room is there from
 * the start, as what comes when the field is left moves the button that is being pressed.
 */
export function PictureInput({ label, help, text, error, onChange }: ContentProps) {
  const { t } = useTranslation()
  const [isTyping, setTyping] = useState(false)
  const isPicture = /^(https?:\/\/|\/)\S+$/.test(text.trim())
  return (
    <Box onFocus={() => setTyping(true)} onBlur={() => setTyping(false)}>
      <TextField label={label} help={help} error={error} value={text} onChange={onChange} />
      {isPicture ? (
        <Box mt="2" h="80px">
          {isTyping ? null : (
            <chakra.img
              src={text.trim()}
              alt={t('settings.picturePreview', { name: label })}
              maxH="full"
              maxW="240px"
              objectFit="contain"
            />
          )}
        </Box>
      ) : null}
    </Box>
  )
}
