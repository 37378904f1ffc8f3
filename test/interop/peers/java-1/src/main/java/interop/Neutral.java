package interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.ToNumberPolicy;
import io.a2a.spec.Artifact;
import io.a2a.spec.DataPart;
import io.a2a.spec.EventKind;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.FileWithUri;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.Task;
import io.a2a.spec.TaskStatus;
import io.a2a.spec.TextPart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parts file, and parts and answers in the neutral form of the matrix. */
final class Neutral {
  static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping()
          .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();

  private Neutral() {}

  static JsonObject load(String path) throws Exception {
    return GSON.fromJson(Files.readString(Path.of(path)), JsonObject.class);
  }

  static List<Part<?>> samples(JsonObject read, String word) {
    List<Part<?>> parts = new ArrayList<>();
    for (JsonElement neutral : read.getAsJsonArray(word)) parts.add(toPart(neutral.getAsJsonObject()));
    return parts;
  }

  private static String member(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : null;
  }

  static Part<?> toPart(JsonObject neutral) {
    if (neutral.has("text")) return new TextPart(neutral.get("text").getAsString());
    String type = member(neutral, "mediaType");
    String name = member(neutral, "name");
    if (neutral.has("bytes")) return new FilePart(new FileWithBytes(type, name, member(neutral, "bytes")));
    if (neutral.has("url")) return new FilePart(new FileWithUri(type, name, member(neutral, "url")));
    return new DataPart(GSON.fromJson(neutral.get("data"), Object.class));
  }

  static Map<String, Object> fromPart(Part<?> part) {
    Map<String, Object> neutral = new LinkedHashMap<>();
    if (part instanceof TextPart text) neutral.put("text", text.text());
    else if (part instanceof DataPart data) neutral.put("data", data.data());
    else if (part instanceof FilePart file) {
      if (file.file() instanceof FileWithBytes bytes) neutral.put("bytes", bytes.bytes());
      if (file.file() instanceof FileWithUri url) neutral.put("url", url.uri());
      if (file.file().mimeType() != null && !file.file().mimeType().isEmpty()) {
        neutral.put("mediaType", file.file().mimeType());
      }
      if (file.file().name() != null && !file.file().name().isEmpty()) neutral.put("name", file.file().name());
    }
    return neutral;
  }

  static String textOf(List<Part<?>> parts) {
    StringBuilder text = new StringBuilder();
    if (parts != null) for (Part<?> part : parts) if (part instanceof TextPart own) text.append(own.text());
    return text.toString();
  }

  static String artifactText(Task task) {
    StringBuilder text = new StringBuilder();
    if (task.artifacts() != null) for (Artifact artifact : task.artifacts()) text.append(textOf(artifact.parts()));
    return text.toString();
  }

  static String stateOf(TaskStatus status) {
    return status.state().name().replace("TASK_STATE_", "").toLowerCase().replace('_', '-');
  }

  static Map<String, Object> seen(EventKind event) {
    Map<String, Object> saw = new LinkedHashMap<>();
    if (event instanceof Message message) {
      saw.put("kind", "message");
      saw.put("role", message.role().name());
      saw.put("text", textOf(message.parts()));
    } else if (event instanceof Task task) {
      Message said = task.status().message();
      saw.put("kind", "task");
      saw.put("state", stateOf(task.status()));
      saw.put("text", artifactText(task));
      saw.put("said", said == null ? "" : textOf(said.parts()));
    }
    return saw;
  }
}
