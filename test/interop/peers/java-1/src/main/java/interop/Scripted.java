package interop;

import com.google.gson.JsonObject;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.tasks.AgentEmitter;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.TaskState;
import io.a2a.spec.TaskStatus;
import io.a2a.spec.TextPart;
import java.util.Base64;
import java.util.List;

/** The scripted agent on the Java SDK. */
final class Scripted implements AgentExecutor {
  private final JsonObject samples;

  Scripted(JsonObject samples) {
    this.samples = samples;
  }

  @Override
  public void execute(RequestContext context, AgentEmitter emitter) {
    List<Part<?>> parts = context.getMessage().parts();
    String words = parts.get(0) instanceof TextPart text ? text.text() : "";
    String word = words.split(" ", 2)[0];
    String rest = words.substring(Math.min(words.length(), word.length() + 1));
    if (word.equals("message")) {
      emitter.sendMessage(rest);
      return;
    }
    if (context.getTask() != null && context.getTask().status().state() == TaskState.TASK_STATE_INPUT_REQUIRED) {
      emitter.addArtifact(List.of(new TextPart("colour " + words)));
      emitter.complete();
      return;
    }
    emitter.addTask(emitter.taskBuilder().status(new TaskStatus(TaskState.TASK_STATE_SUBMITTED))
        .history(context.getMessage()).build());
    emitter.startWork();
    switch (word) {
      case "ask" -> emitter.requiresInput(said(emitter, "which colour?"), true);
      case "fail" -> emitter.fail(said(emitter, "it broke"));
      case "reject" -> emitter.reject(said(emitter, "not today"));
      default -> {
        if (!work(word, rest, parts, emitter)) return;
        emitter.complete();
      }
    }
  }

  private static Message said(AgentEmitter emitter, String text) {
    return emitter.newAgentMessage(List.of(new TextPart(text)), null);
  }

  private boolean work(String word, String rest, List<Part<?>> parts, AgentEmitter emitter) {
    switch (word) {
      case "slow" -> {
        return pause(30_000);
      }
      case "count" -> {
        for (int at = 0; at < Integer.parseInt(rest); at++) {
          emitter.addArtifact(List.of(new TextPart(at + " ")), "count", null, null, at > 0, false);
          if (!pause(100)) return false;
        }
      }
      case "chunks" -> {
        String[] chunks = {"one ", "two ", "three"};
        for (int at = 0; at < chunks.length; at++) {
          emitter.addArtifact(List.of(new TextPart(chunks[at])), "chunks", null, null, at > 0, at == 2);
        }
      }
      case "parts", "value" -> emitter.addArtifact(Neutral.samples(samples, word));
      case "size" -> emitter.addArtifact(List.of(new TextPart(String.valueOf(size(parts.get(1))))));
      case "mirror" -> emitter.addArtifact(List.copyOf(parts.subList(1, parts.size())));
      default -> emitter.addArtifact(List.of(new TextPart(rest)));
    }
    return true;
  }

  private static int size(Part<?> part) {
    if (part instanceof FilePart file && file.file() instanceof FileWithBytes own) {
      return Base64.getDecoder().decode(own.bytes()).length;
    }
    return 0;
  }

  private static boolean pause(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
      return true;
    } catch (InterruptedException stopped) {
      return false;
    }
  }

  @Override
  public void cancel(RequestContext context, AgentEmitter emitter) {
    emitter.cancel();
  }
}
