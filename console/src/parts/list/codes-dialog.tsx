import { Button, chakra, Text } from '@chakra-ui/react'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyTextButton } from '../copy.tsx'
import { saveFile } from '../save-file.ts'
import { DialogFrame } from '../dialog-frame.tsx'

/** Codes that were just made, to take away: one a line, copied all at once, or saved as a text file. */
export function CodesDialog(props: {
  title: string
  note: string
  codes: readonly string[]
  /** Without its ending. */
  fileName: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const text = props.codes.join('\n')
  return (
    // A click beside it closes nothing: the codes are easily lost.
    <DialogFrame
      title={props.title}
      size="md"
      isModalOnly
      actions={
        <>
          <CopyTextButton text={text}>{t('list.copyAll')}</CopyTextButton>
          <Button
            size="xs"
            variant="outline"
            onClick={() =>
              saveFile(`${props.fileName}.txt`, new Blob([`${text}\n`], { type: 'text/plain' }))
            }
          >
            <Download size={13} aria-hidden />
            {t('list.saveAsText')}
          </Button>
          <Button size="xs" onClick={props.onClose}>
            {t('action.close')}
          </Button>
        </>
      }
      onClose={props.onClose}
    >
      <Text color="fg.muted" mb="3">
        {props.note}
      </Text>
      <chakra.pre
        fontFamily="mono"
        fontSize="xs"
        bg="bg.subtle"
        borderRadius="l2"
        p="3"
        maxH="40vh"
        overflow="auto"
        tabIndex={0}
        aria-label={props.title}
        whiteSpace="pre-wrap"
        overflowWrap="anywhere"
      >
        {text}
      </chakra.pre>
    </DialogFrame>
  )
}
