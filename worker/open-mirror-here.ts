import type { ChangeSink } from '../src/contract/change.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import type { MirrorFolder } from '../src/mirror/mirror-folder.ts'
import { mirrorName, parseMirrorName } from '../src/mirror/mirror-names.ts'
import { openMirror, type OpenMirror } from '../src/mirror/open-mirror.ts'
import { hasSpareKeyring } from '../src/mirror/spare-keyring.ts'
import { openOpfsFolder } from '../src/mirror/opfs-folder.ts'

/** The mirror of this worker, or why there is none. */
export interface MirrorHere {
  readonly state: MirrorState
  /** Also where the worker is to mirror nothing, and there is a mirror: what is erased must not stay in it. */
  readonly open?: { readonly mirror: OpenMirror; readonly folder: MirrorFolder; readonly own: string; readonly hasKeyring: boolean }
}

/** How long the files may take to answer. */
const answerMs = 1500

/** Starts to look for the folder at once, so that it takes no time beside the database. */
export function openMirrorHere({ name, mirror: isWanted = false }: OpenMessage, onNotice: ChangeSink): (epoch: string) => Promise<MirrorHere> {
  const finding = Promise.race([
    openOpfsFolder(name, isWanted).then(async (folder) => ({ folder, files: await folder.list() })),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('its file does not open')), answerMs)),
  ])
  finding.catch(() => undefined)
  return async (epoch) => {
    const off = (reason: string): MirrorState => ({ isOn: false, reason: isWanted ? reason : 'it was not asked for' })
    try {
      const { folder, files } = await finding
      const boot = drawBoot()
      const onStop = (reason: string): void => onNotice({ type: 'notice', name: 'degraded', message: `Nothing more is mirrored: ${reason}.` })
      const open = { mirror: openMirror({ folder, epoch, boot, isWanted }, onStop), folder, own: mirrorName({ epoch, boot }), hasKeyring: hasSpareKeyring(files) }
      return { state: isWanted ? { isOn: true, hasLost: files.some((file) => (parseMirrorName(file)?.epoch ?? epoch) !== epoch) } : off(''), open }
    } catch (error) {
      return { state: off((error as Error).message) }
    }
  }
}
