import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  useAuiState,
  useRemoteThreadListRuntime,
} from '@assistant-ui/react'
import { createRoot } from 'react-dom/client'
import { openThread, threads, useThreadRuntime } from './threads.js'

function Message() {
  const { id, isLast, role } = useAuiState(({ message }) => message)
  return (
    <li data-id={id}>
      <MessagePrimitive.Parts components={{ Text: ({ text }) => text }} />
      <MessagePrimitive.Attachments>
        {({ attachment: { name, content = [] } }) => <img src={content[0]?.image} alt={name} width="100" />}
      </MessagePrimitive.Attachments>
      <nav aria-label="Versions">
        <BranchPickerPrimitive.Root hideWhenSingleBranch>
          <BranchPickerPrimitive.Previous>Previous version</BranchPickerPrimitive.Previous>
          <BranchPickerPrimitive.Number /> / <BranchPickerPrimitive.Count />
          <BranchPickerPrimitive.Next>Next version</BranchPickerPrimitive.Next>
        </BranchPickerPrimitive.Root>
        {isLast && role === 'assistant' && <ActionBarPrimitive.Reload>Regenerate</ActionBarPrimitive.Reload>}
      </nav>
    </li>
  )
}

function Threads() {
  return (
    <ThreadListPrimitive.Root aria-label="Chats">
      <ThreadListPrimitive.New>New chat</ThreadListPrimitive.New>
      <ThreadListPrimitive.Items>
        {() => (
          <ThreadListItemPrimitive.Root>
            <ThreadListItemPrimitive.Trigger>
              <ThreadListItemPrimitive.Title fallback="New chat" />
            </ThreadListItemPrimitive.Trigger>
            <ThreadListItemPrimitive.Delete>Delete chat</ThreadListItemPrimitive.Delete>
          </ThreadListItemPrimitive.Root>
        )}
      </ThreadListPrimitive.Items>
    </ThreadListPrimitive.Root>
  )
}

function Messages() {
  const isRunning = useAuiState(({ thread }) => thread.isRunning)
  return (
    <ol aria-label="Messages" aria-live="polite" aria-busy={isRunning}>
      <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
    </ol>
  )
}

function App() {
  const runtime = useRemoteThreadListRuntime({ runtimeHook: useThreadRuntime, adapter: threads, threadId: openThread })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <h1>A chat with assistant-ui</h1>
      <Threads />
      <Messages />
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Attachments>{({ attachment }) => attachment.name}</ComposerPrimitive.Attachments>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.AddAttachment>Attach a picture</ComposerPrimitive.AddAttachment>
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
      </ComposerPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
