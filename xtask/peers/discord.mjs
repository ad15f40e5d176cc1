// A bot made with discord.js, a client that others wrote, lives through the story of our fake. What the fake thinks of
// its requests and of its own answers comes back as the last message. `cargo xtask peers` runs it.

import { createRequire } from 'node:module'
import { Buffer } from 'node:buffer'

const require = createRequire(`${process.env.SDK_FOLDER}/`)
const { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits, MessageFlags, Partials } =
  require('discord.js')

const client = new Client({
  intents: [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.GuildMessageReactions,
    GatewayIntentBits.DirectMessages,
    GatewayIntentBits.DirectMessageReactions,
    GatewayIntentBits.MessageContent,
  ],
  partials: [Partials.Channel],
  rest: { api: process.env.FAKE.replace(/\/v10$/, '') },
})

const ended = (code, words) => {
  console.log(words)
  process.exit(code)
}
const patience = setTimeout(() => ended(1, 'the story did not end in time'), 120_000)
patience.unref()

const button = (label, data) => new ButtonBuilder().setLabel(label).setCustomId(data).setStyle(ButtonStyle.Secondary)

const deeds = {
  ping: async (message) => {
    await message.reply('pong')
    await message.react('👀')
  },
  hello: (message) => message.channel.send('hi'),
  ask: (message) => {
    const row = new ActionRowBuilder().addComponents(button('Yes', 'approve:1'), button('No', 'deny:1'))
    return message.channel.send({ content: 'May I?', components: [row] })
  },
  file: (message) => message.channel.send({ files: [{ attachment: Buffer.from('some bytes'), name: 'a.txt' }] }),
  poll: (message) =>
    message.channel.send({
      poll: { question: { text: 'Tea?' }, answers: [{ text: 'yes' }, { text: 'no' }], duration: 2, allowMultiselect: false },
    }),
  thread: async (message) => {
    const thread = await message.startThread({ name: 'Side talk' })
    await thread.send('over here')
  },
  post: () => {
    const forum = client.channels.cache.find((channel) => channel.isThreadOnly?.())
    return forum.threads.create({ name: 'How do I?', message: { content: 'How do I?' } })
  },
  oops: async (message) => {
    const sent = await message.channel.send('wrong')
    await sent.delete()
  },
  shy: async (message) => {
    const reaction = await message.react('👀')
    await reaction.users.remove(client.user.id)
  },
  fetch: async (message) => {
    const answer = await fetch(message.attachments.first().url)
    await message.channel.send(await answer.text())
  },
  done: () => ended(0, 'the story went well'),
}

const failed = (error) => ended(1, `the client failed: ${error.stack ?? error}`)

client.on(Events.MessageCreate, (message) => {
  if (message.author.id === client.user.id) return
  if (message.content.startsWith('failed: ')) ended(1, message.content)
  const deed = deeds[message.content]
  if (deed) Promise.resolve(deed(message)).catch(failed)
})

client.on(Events.InteractionCreate, async (interaction) => {
  try {
    if (interaction.isButton() && interaction.customId === 'approve:1') {
      await interaction.deferUpdate()
      await interaction.message.edit({ content: 'Approved' })
    }
    if (interaction.isChatInputCommand() && interaction.commandName === 'status') {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral })
      await interaction.editReply('all well')
      await interaction.followUp({ content: 'and more', flags: MessageFlags.Ephemeral })
    }
  } catch (error) {
    failed(error)
  }
})

client.on(Events.Error, failed)
client.once(Events.ClientReady, async () => {
  const guild = client.guilds.cache.first()
  if (guild?.name !== 'The Guild' || guild.channels.cache.size < 2) failed(new Error('the guild is not told whole'))
  await client.application.commands.set([{ name: 'status', description: 'How it goes' }]).catch(failed)
})
await client.login('token-of-the-fake').catch(failed)
