import type { NoticeChange } from '../src/contract/change.ts'
import type { JournalLag } from '../src/contract/journal.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { lateFolder } from '../src/mirror/late-folder.ts'
import type { MirrorFolder } from '../src/mirror/mirror-folder.ts'
import { mirrorName, parseMirrorName } from '../src/mirror/mirror-names.ts'
import { openLastingMirror } from '../src/mirror/open-lasting-mirror.ts'
import { type OpenMirror, openMirror } from '../src/mirror/open-mirror.ts'
import { openOpfsFolder } from '../src/mirror/opfs-folder.ts'
import { hasSpareKeyring } from '../src/mirror/spare-keyring.ts'
import type { Announcer } from './announce-changes.ts'

/** The mirror of this worker, or why there is none. */
export interface MirrorHere {
  readonly state: MirrorState
  /** Present also when the worker mirrors nothing but a mirror exists: erased entries must not stay in it. */
  readonly open?: {
    readonly mirror: OpenMirror
    readonly folder: MirrorFolder
    readonly own: string
    readonly hasKeyring: boolean
    /** The folder did not open in time: it resolves when it does. Until then, nothing can be read from it. */
    readonly late?: Promise<unknown>
  }
  /** Tells the page what only the mirror has for now. @param waiting - absent: nothing */
  tellWaiting(waiting?: JournalLag): void
}

/** How long the files may take to answer, and how long a purge then waits for them. */
const answerMs = 1500
const lateMs = 10_000

/**
 * Starts to look for the folder at once, so that it opens in parallel with the database.
 *
 * @param isLasting - whether it starts again after it had to stop. The mirror of a job does not: the job would take
 * entries that it missed for mirrored
 */
export function openMirrorHere(
  { name, mirror: isWanted = false }: OpenMessage,
  { add, announceMirror }: Pick<Announcer, 'add' | 'announceMirror'>,
  isLasting: boolean,
): (epoch: string) => Promise<MirrorHere> {
  let running: Pick<MirrorState, 'isOn' | 'reason'> = { isOn: true }
  let lag: JournalLag | undefined
  const tell = (): void => announceMirror({ ...running, ...(lag && { waiting: lag }) })
  const tellWaiting: MirrorHere['tellWaiting'] = (waiting) => {
    lag = waiting
    tell()
  }
  const notify = (notice: NoticeChange['name'], message: string): void => add({ type: 'notice', name: notice, message })
  const opening = openOpfsFolder(name, isWanted).then(async (folder) => ({ folder, files: await folder.list() }))
  const finding = within(answerMs, opening)
  finding.catch(() => undefined)
  return async (epoch) => {
    const off = (reason: string): MirrorState => ({ isOn: false, reason: isWanted ? reason : 'it was not asked for' })
    try {
      const found = await finding
      const { folder, files } = found ?? {
        folder: lateFolder(
          opening.then((late) => late.folder),
          lateMs,
        ),
        files: [],
      }
      if (found === undefined) running = off('its file does not open')
      const boot = drawBoot()
      const onStop = (reason: string): void => {
        if (!isWanted) return
        notify('degraded', `Nothing more is mirrored for now: ${reason.replace(/\.$/, '')}.`)
        running = { isOn: false, reason }
        tell()
      }
      const onBegin = (): void => {
        running = { isOn: true }
        tell()
        notify('recovered', 'What is stored is mirrored again. What was stored meanwhile follows.')
      }
      const mirror =
        isLasting && isWanted
          ? openLastingMirror((stopped) => openMirror({ folder, epoch, boot: drawBoot() }, stopped), {
              onStop,
              onBegin,
            })
          : openMirror({ folder, epoch, boot, isWanted }, onStop)
      const open = {
        mirror,
        folder,
        own: mirrorName({ epoch, boot }),
        hasKeyring: hasSpareKeyring(files),
        ...(found === undefined && { late: opening }),
      }
      const hasLost = files.some((file) => (parseMirrorName(file)?.epoch ?? epoch) !== epoch)
      return {
        state: isWanted && found !== undefined ? { isOn: true, hasLost } : off('its file does not open'),
        open,
        tellWaiting,
      }
    } catch (error) {
      return { state: off((error as Error).message), tellWaiting }
    }
  }
}

/** @returns `undefined` when it takes longer */
function within<T>(ms: number, opening: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => resolve(undefined), ms)
    opening.then(resolve, reject).finally(() => clearTimeout(timeout))
  })
}
