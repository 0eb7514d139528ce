import { describe, expect, it } from 'vitest';
import { interpret, scheduled } from './support.js';

const posted = (utterance: string) => {
  const result = interpret(utterance);
  if (!('functionId' in result)) return result;
  const { targetAction, targetRef } = result.functionArgs as {
    targetAction: { inputs: { text: string } };
    targetRef: { channelId: string; postingMode: string };
  };
  return `${targetAction.inputs.text} → ${targetRef.channelId} ${targetRef.postingMode}`;
};

describe('R3-18 R3-19 Creating a job in plain English', () => {
  it('R3-20 R3-24 SCH-D16 results in one complete call with a fixed order of keys', () => {
    expect(JSON.stringify(interpret('please post "bread is out" in #counter every Saturday at 7:15am'))).toBe(
      JSON.stringify({
        functionId: 'schedule.create',
        functionArgs: {
          orchestratorId: 'bakery',
          scheduleType: 'cron',
          schedule: { expression: '15 7 * * 6', timezone: 'Europe/Berlin' },
          targetAction: { type: 'workflow_start', workflowId: 'post-message', inputs: { text: 'bread is out' } },
          targetRef: {
            channel: 'slack',
            channelProfileId: 'shop_chat',
            channelId: 'C10',
            postingMode: 'channel_post',
          },
        },
      }),
    );
  });

  it.each([
    ['run night-shift every day at 22:00', 'cron 0 22 * * * Europe/Berlin'],
    ['every weekday at 5:30 am start night-shift', 'cron 30 5 * * 1-5 Europe/Berlin'],
    ['kick off the night shift workflow on weekends at noon', 'cron 0 12 * * 0,6 Europe/Berlin'],
    ['run order-flour Mon-Thu at 18:45', 'cron 45 18 * * 1-4 Europe/Berlin'],
    ['run order-flour from Friday to Sunday at 6pm', 'cron 0 18 * * 0,5,6 Europe/Berlin'],
    ['run order-flour on Tuesdays, Thursdays and Sundays at 14:00', 'cron 0 14 * * 0,2,4 Europe/Berlin'],
    ['run order-flour every day except Sunday at 4am', 'cron 0 4 * * 1-6 Europe/Berlin'],
    ['run order-flour on weekdays but not Wednesday at 4am', 'cron 0 4 * * 1,2,4,5 Europe/Berlin'],
    ['run stock-take on the 1st and 15th of each month at 8pm', 'cron 0 20 1,15 * * Europe/Berlin'],
    ['run stock-take on the first of the month at midnight', 'cron 0 0 1 * * Europe/Berlin'],
    ['run stock-take monthly on the 10th at 13:00', 'cron 0 13 10 * * Europe/Berlin'],
    ['run stock-take every December 31st at 5pm', 'cron 0 17 31 12 * Europe/Berlin'],
    ['run stock-take quarterly on the 1st at 9am', 'cron 0 9 1 1,4,7,10 * Europe/Berlin'],
    ['run stock-take twice a day at 6am and 6pm', 'cron 0 6,18 * * * Europe/Berlin'],
    ['run stock-take every day at 9 and 11am', 'cron 0 9,11 * * * Europe/Berlin'],
    ['run stock-take every morning at 6', 'cron 0 6 * * * Europe/Berlin'],
    ['run stock-take every night at 11', 'cron 0 23 * * * Europe/Berlin'],
    ['run stock-take on Friday evenings at half past 7', 'cron 30 19 * * 5 Europe/Berlin'],
    ['run stock-take every day at quarter to 5 pm', 'cron 45 16 * * * Europe/Berlin'],
    ['schedule stock-take with cron 5 4 * jan-mar sun', 'cron 5 4 * 1-3 0 Europe/Berlin'],
    ['run stock-take on cron "0 6 * * mon,fri" in UTC', 'cron 0 6 * * 1,5 UTC'],
    ['run stock-take every 20 minutes between 8am and 6pm on weekdays', 'cron */20 8-17 * * 1-5 Europe/Berlin'],
    ['run stock-take every 2 hours on Saturdays', 'cron 0 */2 * * 6 Europe/Berlin'],
    ['run stock-take every hour from 9 to 17', 'cron 0 9-17 * * * Europe/Berlin'],
    ['run stock-take every hour at :20', 'cron 20 * * * * Europe/Berlin'],
  ])('R3-19 reads days and times of day as cron: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    ['run order-flour every 15 minutes', 'every 900'],
    ['order-flour hourly', 'every 3600'],
    ['run order-flour every 90 minutes', 'every 5400'],
    ['run order-flour every hour and a half', 'every 5400'],
    ['run order-flour every half hour', 'every 1800'],
    ['run order-flour every 2h', 'every 7200'],
    ['run order-flour once every three hours', 'every 10800'],
    ['run order-flour every 3 days', 'every 259200'],
    ['run order-flour every 6 hours starting at 8pm', 'every 21600 from 2027-06-09T18:00:00Z'],
    ['starting tomorrow at 6am run order-flour every 12 hours', 'every 43200 from 2027-06-10T04:00:00Z'],
  ])('R3-19 reads durations as an interval: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    ['run order-flour in 20 minutes', 'once 2027-06-09T09:20:00Z'],
    ['run order-flour in half an hour', 'once 2027-06-09T09:30:00Z'],
    ['run order-flour 2 hours from now', 'once 2027-06-09T11:00:00Z'],
    ['run order-flour at noon', 'once 2027-06-09T10:00:00Z'],
    ['run order-flour at 8am', 'once 2027-06-10T06:00:00Z'],
    ['run order-flour tomorrow at 15:00', 'once 2027-06-10T13:00:00Z'],
    ['run order-flour the day after tomorrow at 7 in the morning', 'once 2027-06-11T05:00:00Z'],
    ['run order-flour tonight at 9', 'once 2027-06-09T19:00:00Z'],
    ['run order-flour on Friday at 6am', 'once 2027-06-11T04:00:00Z'],
    ['run order-flour on Friday next week at 6am', 'once 2027-06-18T04:00:00Z'],
    ['run order-flour next Wednesday at 6am', 'once 2027-06-16T04:00:00Z'],
    ['run order-flour on the 3rd of August at 6am', 'once 2027-08-03T04:00:00Z'],
    ['run order-flour on August 3, 2028 at 6am', 'once 2028-08-03T04:00:00Z'],
    ['run order-flour on May 1st at 6am', 'once 2028-05-01T04:00:00Z'],
    ['run order-flour on the 20th at 6am', 'once 2027-06-20T04:00:00Z'],
    ['run order-flour on 2027-12-24 at 06:00', 'once 2027-12-24T05:00:00Z'],
    ['run order-flour in two weeks at 6am', 'once 2027-06-23T04:00:00Z'],
    ['run order-flour at 2027-12-24T06:00:00+02:00', 'once 2027-12-24T04:00:00Z'],
    ['run order-flour on 3/4/2028 at noon', 'once 2028-04-03T10:00:00Z'],
    ['run order-flour on 25/7 at noon', 'once 2027-07-25T10:00:00Z'],
  ])('R3-19 reads a single date and time as once: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    ['UTC', 'UTC'],
    ['GMT', 'UTC'],
    ['PT', 'America/Los_Angeles'],
    ['ET', 'America/New_York'],
    ['Tokyo time', 'Asia/Tokyo'],
    ['in New York', 'America/New_York'],
    ['in Asia/Kolkata', 'Asia/Kolkata'],
    ['(Australia/Sydney)', 'Australia/Sydney'],
    ['Pacific time', 'America/Los_Angeles'],
    ['Central', 'America/Chicago'],
    ['in San Francisco', 'America/Los_Angeles'],
    ['UTC+2', 'Etc/GMT-2'],
  ])('R3-19 uses the zone that is named: %s', (zone, id) => {
    expect(scheduled(`run stock-take every Monday at 9am ${zone}`)).toBe(`cron 0 9 * * 1 ${id}`);
  });

  it.each([
    ['post see you at 9 in #counter every day at 8am', 'see you at 9 → C10 channel_post'],
    ['every Friday at 7am post lunch at noon in #counter', 'lunch at noon → C10 channel_post'],
    ['post happy monday in #counter every Monday at 7am', 'happy monday → C10 channel_post'],
    [
      "post 'every Friday at 5pm we close' to #ovens tomorrow at 7am",
      'every Friday at 5pm we close → C20 channel_post',
    ],
    ['send weekly specials to #counter on Mondays at 7am', 'weekly specials → C10 channel_post'],
    ['post cake in Vienna in #counter every Friday at 7am', 'cake in Vienna → C10 channel_post'],
    ['remind #ovens to check the seals tomorrow at 3pm', 'check the seals → C20 channel_post'],
    ['remind #ovens tomorrow at 3pm to check the seals', 'check the seals → C20 channel_post'],
    ['tell #counter that we close early every Friday at 3pm', 'we close early → C10 channel_post'],
    ['let #counter know that rye is out every day at 4pm', 'rye is out → C10 channel_post'],
    ['send a reminder to #ovens to clean up every day at 6pm', 'clean up → C20 channel_post'],
    ['set a weekly reminder in #ovens to order yeast on Fridays at 2pm', 'order yeast → C20 channel_post'],
    ['post in the counter channel: fresh rolls! every day at 7am', 'fresh rolls! → C10 channel_post'],
    ['<@U1> post hi in <#C20|ovens> every day at 4pm', 'hi → C20 channel_post'],
    ['post thanks in #counter every Friday at 5pm, thanks', 'thanks → C10 channel_post'],
    ['remind the team in #ovens about lunch every day at noon', 'lunch → C20 channel_post'],
    ['send #ovens a note every Friday at 4pm to sweep', 'sweep → C20 channel_post'],
    ['remind us to sleep every day at 9pm', 'sleep → C900 channel_post'],
    ['reply here every day at 4pm with any leftovers?', 'any leftovers? → C900 thread_reply'],
    ['post "hi" in this thread every day at 4pm', 'hi → C900 thread_reply'],
  ])('R3-19 separates the text from the time and place around it: %s', (utterance, text) => {
    expect(posted(utterance)).toBe(text);
  });

  it('R3-19 includes the thread in a thread reply', () => {
    expect(interpret('reply in this thread every Friday at 4pm with "how was it?"')).toMatchObject({
      functionArgs: { targetRef: { postingMode: 'thread_reply', threadTs: '1812500000.000200', channelId: 'C900' } },
    });
  });

  it.each([
    [
      'check run.status for run-9 every hour',
      { type: 'command_invoke', functionId: 'run.status', functionArgs: { runId: 'run-9' } },
    ],
    ['call oven.list every 10 minutes', { type: 'command_invoke', functionId: 'oven.list' }],
    [
      'check run.status for stock-take daily at 5am',
      { type: 'command_invoke', functionId: 'run.status', functionArgs: { workflowId: 'stock-take' } },
    ],
    [
      'run order-flour with kind=rye and sacks=4 every Monday at 5am',
      { type: 'workflow_start', workflowId: 'order-flour', inputs: { kind: 'rye', sacks: 4 } },
    ],
    ['run the flour every Monday at 5am', { type: 'workflow_start', workflowId: 'order-flour' }],
  ])('R3-22 R3-24 calls only known workflows and functions: %s', (utterance, targetAction) => {
    expect(interpret(utterance)).toMatchObject({ functionId: 'schedule.create', functionArgs: { targetAction } });
  });

  it('R3-19 posts the output of a workflow to the named channel', () => {
    expect(interpret('run stock-report every weekday at 8:30am and post it in #counter')).toMatchObject({
      functionArgs: { targetAction: { workflowId: 'stock-report' }, targetRef: { channelId: 'C10' } },
    });
  });
});
