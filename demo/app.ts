import type { Session } from '../src/index.ts'
import { createComposer } from './chat/composer.ts'
import { createConversation } from './chat/conversation.ts'
import { createReplies } from './chat/replies.ts'
import { sendMessage } from './chat/send-message.ts'
import { createTopBar } from './chat/top-bar.ts'
import { createUnsentTexts } from './chat/unsent-texts.ts'
import { createWelcome } from './chat/welcome.ts'
import { createContextPanel } from './context/context-panel.ts'
import { createShrinking } from './context/shrinking.ts'
import { createImporter } from './files/importer.ts'
import { createAutoSave } from './history/auto-save.ts'
import { createCheckpointPanel } from './history/checkpoint-panel.ts'
import { createTreePanel } from './history/tree-panel.ts'
import { createIdentityPanel } from './identity/identity-panel.ts'
import { killWorker } from './inspector/kill-worker.ts'
import { createInspectorToggle } from './inspector/toggle-inspector.ts'
import { chooseModel, modelOf, openModel } from './model-choice.ts'
import { createAppUpdates } from './offline/app-updates.ts'
import { isBuilt } from './offline/register-worker.ts'
import { createPresenceLine } from './presence/presence-line.ts'
import sampleText from './sample.jsonl?raw'
import { createSearchDialog } from './search/search-dialog.ts'
import { showHit } from './search/show-hit.ts'
import { createAddressedSession } from './sessions/addressed-session.ts'
import { appTools } from './sessions/app-tools.ts'
import { createSessionList } from './sessions/session-list.ts'
import { createSessionRemoval } from './sessions/session-removal.ts'
import { readSettings } from './settings.ts'
import { createSettingsDialog } from './settings-dialog.ts'
import { listenForShortcuts } from './shortcuts.ts'
import { createStatusLine } from './status/status-line.ts'
import type { OpenedStore } from './storage/open-device-store.ts'
import { createStoragePanel } from './storage/storage-panel.ts'
import { createInvitationDialog } from './sync/invitation-dialog.ts'
import { createSyncChip } from './sync/sync-chip.ts'
import { createSyncControl } from './sync/sync-control.ts'
import { createSyncPanel } from './sync/sync-panel.ts'
import { createWalkThrough } from './sync/walk-through.ts'
import { h } from './ui/dom.ts'
import { createDrawer } from './ui/drawer.ts'
import { createToasts } from './ui/toasts.ts'

/** Puts the app on the page. The address names the session that is open; everything else is in the store. */
export function startApp({ client, encryption: first }: OpenedStore): void {
  let encryption = first
  const toasts = createToasts()
  const model = (key: string) => openModel(modelOf(key), client.blobs)
  const shrinking = createShrinking(client, model)
  const autoSave = createAutoSave(client)
  const replies = createReplies(client, shrinking, autoSave, model, (error) =>
    toasts.fail('The conversation could not be compacted', error),
  )
  const addressed = createAddressedSession({ client, toasts, onOpened: show })
  const openKey = (key: string): void => void addressed.goTo(key)
  const openNew = (): void => void addressed.goToNew()
  const openedKey = (): string | undefined => addressed.current()?.key

  const settings = createSettingsDialog(showModel)
  const importer = createImporter(client, openKey)
  const identity = createIdentityPanel({ client, toasts, onOpen: openKey })
  const context = createContextPanel({
    client,
    shrinking,
    toasts,
    onContext: (found, window) => topBar.showContext(found, window),
  })
  const search = createSearchDialog({
    client,
    openKey: openedKey,
    onHit: (hit) => (drawer.close(), void showHit(hit, client, addressed, conversation, toasts)),
    onSession: (key) => (drawer.close(), openKey(key)),
  })
  const tree = createTreePanel({ client, toasts, onShow: (place) => conversation.reveal(place) })
  const checkpoints = createCheckpointPanel({ client, toasts, autoSave })
  const updates = createAppUpdates(toasts)
  const status = createStatusLine(client, toasts, updates)
  const syncControl = createSyncControl(
    client,
    () => encryption,
    (error) => toasts.fail('Sync could not start', error),
  )
  const inspect = createInspectorToggle(client, syncControl, [
    { label: 'Kill the worker', description: 'Ends the worker of this tab, as a crash would.', run: killWorker },
  ])
  const walkThrough = createWalkThrough(
    (isOffline) =>
      void (isOffline ? syncControl.pause() : syncControl.resume()).catch((error: unknown) =>
        toasts.fail('Sync could not be paused or resumed', error),
      ),
  )
  const syncPanel = createSyncPanel({ control: syncControl, toasts, walkThrough })
  const syncChip = createSyncChip(syncPanel.open)
  const invitation = createInvitationDialog(toasts, syncPanel.take)
  const storage = createStoragePanel({
    client,
    toasts,
    onEncryption: (next) => {
      encryption = next
      syncControl.reopen().catch((error: unknown) => toasts.fail('Sync could not start', error))
    },
  })
  const removal = createSessionRemoval({
    client,
    toasts,
    replies,
    isOpen: (key) => key === openedKey(),
    onGone: async () => void (await addressed.goToNew()),
    onBack: openKey,
  })
  const list = createSessionList({
    client,
    toasts,
    onNew: openNew,
    onSearch: search.open,
    onDelete: (listing) => void removal.remove(listing),
    onRestore: (key) => void removal.restore(key),
  })
  const drawer = createDrawer(
    'sessions',
    list.element,
    appTools({ onImport: importer.choose, onStorage: storage.open, onSettings: settings.open }),
    status.element,
  )
  const topBar = createTopBar({
    client,
    toasts,
    sync: syncChip.element,
    onMenu: drawer.open,
    onSearch: search.open,
    onTree: tree.open,
    onCheckpoints: checkpoints.open,
    onIdentity: identity.open,
    onContext: context.open,
    onInspect: toggleInspector,
  })
  const welcome = createWelcome({
    client,
    onPrompt: (text) => void send(text).catch(() => undefined),
    onSample: () => void importer.run(new Blob([sampleText]), 'sample.jsonl'),
    onImport: importer.choose,
  })
  const conversation = createConversation({
    blobs: client.blobs,
    replies,
    toasts,
    welcome,
    onSnapshot: ({ meta }) => topBar.show(meta),
    onRestore: (key) => void removal.restore(key),
  })
  const presence = createPresenceLine()
  const composer = createComposer({
    unsent: createUnsentTexts(() => encryption !== undefined),
    onSend: send,
    onStop: stop,
    onModel: (name) => withOpened((key) => chooseModel(key, name)),
    onSettings: settings.open,
    onTyping: syncControl.setTyping,
    presence: presence.element,
  })

  document.body.replaceChildren(
    ...drawer.elements,
    h(
      'main',
      { class: 'main' },
      topBar.element,
      status.warning,
      walkThrough.element,
      importer.element,
      conversation.element,
      composer.element,
    ),
    settings.element,
    identity.element,
    context.element,
    search.element,
    tree.element,
    checkpoints.element,
    syncPanel.element,
    storage.element,
    invitation.element,
    ...importer.helpers,
    toasts.element,
  )

  function show(session: Session): void {
    const { key } = session
    topBar.show(undefined)
    conversation.show(session)
    syncControl.look(key)
    context.follow(session)
    tree.follow(session)
    checkpoints.follow(session)
    composer.show(key)
    showModel()
    composer.setBusy(replies.running(key) !== undefined)
    list.setOpen(key)
    drawer.close()
    composer.focus()
  }

  async function send(text: string, files: readonly File[] = []): Promise<void> {
    const session = await addressed.opened()
    if (session === undefined) return
    const outgoing = { text, files, isEncrypted: encryption !== undefined }
    try {
      await sendMessage(client, session, replies, outgoing, conversation.toEnd)
    } catch (error) {
      toasts.fail('The message could not be saved', error)
      throw error
    }
  }

  function showModel(): void {
    const set = readSettings()
    composer.setModel(modelOf(openedKey(), set), set.models)
  }

  function toggleInspector(): void {
    inspect().catch((error: unknown) => toasts.fail('The inspector could not be opened', error))
  }

  function withOpened(act: (key: string) => void): void {
    const key = openedKey()
    if (key !== undefined) act(key)
  }

  function stop(): void {
    withOpened(replies.stop)
  }

  replies.subscribe((key) => {
    if (key === openedKey()) composer.setBusy(replies.running(key) !== undefined)
  })
  function showSync(): void {
    const snapshot = syncControl.snapshot()
    syncChip.show(snapshot)
    walkThrough.show(snapshot)
    syncPanel.show(snapshot)
  }

  function showPeers(): void {
    const peers = syncControl.peers()
    presence.show(peers)
    conversation.showPeers(peers)
  }

  addEventListener('hashchange', () => (invitation.look(), void addressed.follow()))
  syncControl.subscribe(showSync)
  syncControl.subscribeToPeers(showPeers)
  listenForShortcuts({ onNew: openNew, onSearch: search.open, onInspect: toggleInspector, onStop: stop })
  showModel()
  showSync()
  invitation.look()
  void addressed.follow()
  if (isBuilt)
    updates.follow().catch((error: unknown) => toasts.fail('The app could not be saved for offline use', error))
}
